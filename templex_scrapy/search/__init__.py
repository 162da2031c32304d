"""Which pages are loaded for a key page: ranked links and the complete subdigraph."""
