"""The votes of pages on the nodes of a key page, and what they say of the nodes of each page: its flags."""
