"""The workbench: detectors and peers measured on sites with a gold standard, and the report on it."""
