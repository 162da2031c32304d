"""Pages that a search loads and the spider may want: fetched once, kept within bounds."""
