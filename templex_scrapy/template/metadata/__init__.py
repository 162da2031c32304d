"""Metadata that takes several pages of a site: titles without the site's name, labelled values, places of dates."""
