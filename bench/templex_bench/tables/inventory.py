"""What methods found where there is no gold standard, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from templex_bench.methods import method_named
from templex_bench.tables.model import Table, mean, milliseconds
from templex_bench.tables.study import Study, standard, values


def found(study: Study) -> Table | None:
    """Show what was found of what the suite has no gold standard for."""
    rows = []
    for (target, unit, name), own in study.rows.groupby(["target", "unit", "method"], sort=False):
        method = method_named(str(name))
        without = own[own["reading"] == ""]
        if own["gold"].notna().any() or (without["error"] != "").all():
            continue
        chosen = standard(without[without["error"] == ""])
        rows.append(
            {
                "Method": method.title,
                "What": f"{unit} of the {target}" if method.target == target else f"{unit} left",
                "Found": mean(study.mean(chosen, "retrieved"), 1),
                "Nodes of the page": mean(study.mean(chosen, "nodes"), 1),
                "Found nothing, key pages": str(int((values(chosen, "retrieved") == 0).sum())),
                "Pages compared": mean(study.mean(chosen, "cs_size"), 1),
                "Loads": mean(study.mean(chosen, "loads"), 1),
                "Runtime, ms": milliseconds(chosen["runtime"].mean()),
            }
        )
    note = "There is no gold standard for these pages: this is what was found, not how good it is."
    return Table.of("What was found, without a gold standard", rows, note)


def errors(studies: Sequence[Study]) -> Table | None:
    """List the experiments that went wrong, equal errors of a method once."""
    rows = []
    for study in studies:
        wrong = study.rows[study.rows["error"] != ""]
        for (name, error), own in wrong.groupby(["method", "error"]):
            first = own.iloc[0]
            rows.append(
                {
                    "Suite": study.suite,
                    "Method": str(name),
                    "Error": str(error),
                    "Experiments": str(own["trial"].nunique()),
                    "Sites": str(own["site"].nunique()),
                    "First key page": f"{first['site']}: {first['key_url']}",
                }
            )
    note = "An experiment that went wrong found nothing: in the means it counts with 0, and without its time."
    return Table.of("Experiments that went wrong", rows, note)


def lost(pages: pd.DataFrame) -> Table | None:
    """List the key pages that could not be measured."""
    titles = {"suite": "Suite", "site": "Site", "key_url": "Key page", "reason": "Reason"}
    rows = [{titles[str(name)]: str(value) for name, value in row.items()} for row in pages.to_dict("records")]
    return Table.of("Key pages that could not be measured", rows, "What was to be measured there is in no mean.")
