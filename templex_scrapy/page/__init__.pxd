from templex_scrapy.page.node_values cimport NodeValues
from templex_scrapy.page.start_tags cimport StartTag
