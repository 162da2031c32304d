"""``scrapy templex`` (``templex.py``, named as Scrapy names modules) and the program ``templex`` (``program.py``)."""
