"""``python -m templex_bench``: the same as ``templex-bench``."""

import sys

from templex_bench.cli import main

sys.exit(main())
