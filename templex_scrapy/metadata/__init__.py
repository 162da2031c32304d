"""Metadata that takes several pages of a site: titles without the site's name, labelled values, places of dates."""

from templex_scrapy.metadata.date_places import DatePlaces, labels_change, may_be_date
from templex_scrapy.metadata.labelled_fields import COLONS, Fields, Labels, label_of
from templex_scrapy.metadata.site_title import SiteTitle, headline, title_of

__all__ = [
    "COLONS",
    "DatePlaces",
    "Fields",
    "Labels",
    "SiteTitle",
    "headline",
    "label_of",
    "labels_change",
    "may_be_date",
    "title_of",
]
