"""Print templex_bench/tables/fitted.csv: the key pages of the collections on which rules and parameters were chosen.

python bench/scripts/fitted.py ../shared/sites ../shared/wcxb ../shared/corpora ../shared/zoo
"""

from __future__ import annotations

import sys
from pathlib import Path

from templex_bench.suites import open_suite, parts_of
from templex_bench.tables.fitted import mark

print("collection,pages")
known: set[str] = set()
for part in (part for folder in sys.argv[1:] for part in parts_of(Path(folder))):
    suite = open_suite(part)
    name = suite.name if suite.name not in known else f"{part.resolve().parent.name}/{suite.name}"
    known.add(name)
    print(f"{name},{' '.join(sorted({mark(url) for site in suite.sites for url in site.key_urls}))}")
