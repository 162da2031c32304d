"""The equal top-down mapping of two pages."""
