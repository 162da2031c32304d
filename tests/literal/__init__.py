"""The algorithms once more, plain and slow, written from the papers to check the package against."""
