from templex_scrapy.page.node_values cimport NodeValues, RelativeLinks
from templex_scrapy.page.start_tags cimport StartTag
