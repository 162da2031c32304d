"""The thesis's grid for the similarity, all of it at once, with cross-validation by site (thesis, chapter 8)."""
