"""How the templates of a site are learnt from its pages, without a crawl: no I/O, no clock."""

from templex_scrapy.learning.budget import Budget
from templex_scrapy.learning.sample import SampledPage
from templex_scrapy.learning.site_cleaner import SiteCleaner
from templex_scrapy.learning.site_learning import (
    Event,
    Judged,
    NeedsSearch,
    NeedsVoters,
    SiteLearning,
    TemplateBroken,
    TemplateDropped,
    TemplateGrown,
    TemplateLearnt,
    Verdict,
)

__all__ = [
    "Budget",
    "Event",
    "Judged",
    "NeedsSearch",
    "NeedsVoters",
    "SampledPage",
    "SiteCleaner",
    "SiteLearning",
    "TemplateBroken",
    "TemplateDropped",
    "TemplateGrown",
    "TemplateLearnt",
    "Verdict",
]
