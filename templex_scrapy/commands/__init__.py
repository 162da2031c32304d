"""The command ``scrapy templex``, which Scrapy finds through an entry point."""
