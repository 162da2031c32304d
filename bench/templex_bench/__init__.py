"""Measures template, menu and content detectors against gold standards.

An ``Order`` is what a user asks for: suites, methods and a ``Choice`` of parameters. A ``Trial`` is a method with its
parameters. Each key page is one ``Task``, with the trials that the results file lacks. A process reads the page and its
gold standard as a ``Case``, and measures a trial in one or several ``Row``s. A ``Report`` makes tables of all rows.
"""
