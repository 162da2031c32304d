"""The machinery of the large runs, for small ones: bench/scripts/scale.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench" / "scripts"))
