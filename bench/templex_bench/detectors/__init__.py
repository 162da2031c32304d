"""The detectors that the workbench measures."""
