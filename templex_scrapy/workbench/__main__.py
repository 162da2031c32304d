"""``python -m templex_scrapy.workbench``."""

import sys

if __name__ == "__main__":
    try:
        from templex_scrapy.workbench.cli import main  # takes a moment, in which Ctrl-C may come
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(main())
