"""Detectors of templates, menus and main content, each under one signature."""
