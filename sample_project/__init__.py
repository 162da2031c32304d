"""A Scrapy project that uses templex_scrapy: a demo on a site of its own, and a spider for any site."""
