"""The signals of the add-on, as a user's extension receives them."""

from helpers.crawling import SiteSpider

from templex_scrapy import signals


class Listening(SiteSpider):
    """Connects handlers as Scrapy's documentation does."""

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.templates, spider.pages = [], []
        crawler.signals.connect(spider.template_learnt, signal=signals.template_learnt)
        crawler.signals.connect(spider.template_grown, signal=signals.template_grown)
        crawler.signals.connect(spider.page_cleaned, signal=signals.page_cleaned)
        crawler.signals.connect(spider.fails, signal=signals.item_cleaned)
        return spider

    def template_learnt(self, template, spider):
        assert spider is self
        self.templates.append(template)

    def template_grown(self, old, new):
        assert len(old.page_urls) < len(new.page_urls)
        self.templates.append(new)

    def page_cleaned(self, clean):
        self.pages.append(clean)

    def fails(self):
        raise ValueError("a handler's own error")


def test_handlers_receive_templates_and_pages_and_their_errors_cost_no_item(crawl, site):
    crawled = crawl(Listening, f"{site.url}/")
    assert crawled.count("items/cleaned") == len(crawled.items) == 12
    spider = crawled.crawler.spider
    assert sorted(clean.url for clean in spider.pages) == sorted(item["url"] for item in crawled.items)
    assert {clean.template_url for clean in spider.pages} <= {template.key_url for template in spider.templates}
    assert any("Error caught on signal handler" in message for message in crawled.messages())
