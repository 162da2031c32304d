"""The crawl report: one HTML file that says what a crawl has taken out, by which templates, and where it failed."""
