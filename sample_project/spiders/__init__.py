"""The spiders of the sample project."""
