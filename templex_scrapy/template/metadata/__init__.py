"""What the pages of a site tell of the metadata of one: its title without the site's name, labels and their values."""
