"""Scrapy's side: the add-on, its three components and what they share."""
