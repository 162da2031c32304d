"""The toggle view: one HTML file that shows which nodes of a page are template, and why. Needs the extra ``view``."""

try:
    from templex_scrapy.view.document import view
except ModuleNotFoundError as error:
    if error.name != "nh3":
        raise
    raise ModuleNotFoundError('The view needs nh3: pip install "templex-scrapy[view]"', name="nh3") from error

__all__ = ["view"]
