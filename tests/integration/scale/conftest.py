"""The machinery of the large runs, for small ones: bench/scripts/scale.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench" / "scripts"))
