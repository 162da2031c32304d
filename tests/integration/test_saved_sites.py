"""find_template on the gold key pages of the saved sites: the bars that issue 2 sets."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITES = ROOT.parent / "shared" / "sites"


@pytest.fixture(scope="module")
def means() -> dict[str, float]:
    if not any(SITES.glob("*/site.json")):
        pytest.skip(f"no saved sites in {SITES}")
    spec = importlib.util.spec_from_file_location("detect", ROOT / "bench" / "scripts" / "detect.py")
    assert spec is not None
    assert spec.loader is not None
    detect = importlib.util.module_from_spec(spec)
    sys.modules["detect"] = detect
    spec.loader.exec_module(detect)
    rows = detect.measure(SITES, detect.options_of([str(SITES)]))
    return dict(zip(detect.COLUMNS, detect.mean(list(rows.values())), strict=True))


@pytest.mark.shared
def test_template_nodes(means):
    assert means["F1"] >= 0.80
    assert means["F1"] <= means["ceil"] <= 0.96


@pytest.mark.shared
def test_words_of_the_cleaned_text(means):
    assert means["wF1"] >= 0.91
    assert means["wR"] >= 0.985 * means["pageR"]
    assert means["pageF1"] < means["wF1"] < means["goldF1"]


@pytest.mark.shared
def test_loads_are_few(means):
    assert means["loads"] <= 12.63, "the papers' mean at size 3"
    assert means["CS"] > 2.5
