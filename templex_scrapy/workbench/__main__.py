"""``python -m templex_scrapy.workbench``."""

import sys

from templex_scrapy.workbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
