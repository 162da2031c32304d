"""``python -m templex_bench``."""

import sys

if __name__ == "__main__":
    try:
        from templex_bench.cli import main  # takes a moment, in which Ctrl-C may come
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(main())
