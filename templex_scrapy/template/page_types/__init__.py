"""The types of the pages of a site, and the pages that a template was learnt from."""
