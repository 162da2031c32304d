"""Learn the templates of a site from pages: no crawl, no I/O, no clock."""

from templex_scrapy.learning.budget import Budget
from templex_scrapy.learning.events import (
    Event,
    TemplateBroken,
    TemplateChanged,
    TemplateDropped,
    TemplateGrown,
    TemplateLearnt,
    TemplateTooLarge,
)
from templex_scrapy.learning.sample_plan import SamplePlan
from templex_scrapy.learning.site_cleaner import SAMPLE, SiteCleaner
from templex_scrapy.learning.site_learning import FIRST_SAMPLE, Judged, Patience, SiteLearning
from templex_scrapy.learning.voting import MAX_VOTERS

__all__ = [
    "FIRST_SAMPLE",
    "MAX_VOTERS",
    "SAMPLE",
    "Budget",
    "Event",
    "Judged",
    "Patience",
    "SamplePlan",
    "SiteCleaner",
    "SiteLearning",
    "TemplateBroken",
    "TemplateChanged",
    "TemplateDropped",
    "TemplateGrown",
    "TemplateLearnt",
    "TemplateTooLarge",
]
