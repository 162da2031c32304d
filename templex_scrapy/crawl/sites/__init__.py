"""What a crawl knows of its sites: drives :class:`templex_scrapy.learning.SiteLearning`, searches, stores what is learnt."""
