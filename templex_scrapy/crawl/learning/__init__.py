"""How a crawl learns: drives :class:`templex_scrapy.learning.SiteLearning`, searches, and stores what is learnt."""
