"""CSS selectors: the user's, and those that say what a template removes."""
