"""The tables of the tuning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from templex_bench.measures.means import Estimate, estimate
from templex_bench.plan import EQUAL_SIZE, VOTES
from templex_bench.tables import published
from templex_bench.tables.model import Table, difference, mean, share
from templex_bench.tuning.choice import (
    CAREFUL,
    KEPT,
    RULES,
    choose,
    cross_validated,
)
from templex_bench.tuning.file import FEWEST, Tuning
from templex_bench.tuning.grid import NAMED, Floats, Grid
from templex_bench.tuning.scores import MEASURES
from templex_bench.tuning.trained import CONEX, CONEX_PRINTED, Training, trainings

_SETTING = f"{EQUAL_SIZE} pages and {VOTES[EQUAL_SIZE]} votes"
_NOTES = (
    "Words are those of the key page cleaned as an item; own words are outside the gold template.",
    "Each site is measured with what was chosen without it, unless the row says otherwise.",
    "The defaults were chosen by hand on this package's development sites: on these their figures are too good.",
)
_TITLES = dict(
    zip(
        MEASURES,
        ("Recall", "Precision", "F1", "Own words kept", "Main content kept", "Template words removed"),
        strict=True,
    )
)


def _estimate(tuning: Tuning, values: Floats) -> Estimate | None:
    index = pd.MultiIndex.from_tuples([(site, "") for site in tuning.sites])
    return estimate(pd.Series(values, index=index))


def _measured(tuning: Tuning, title: str, chosen: list[int], base: Floats | None) -> dict[str, str]:
    """Return the row of a choice: for each site the index of its combination."""
    sites = range(len(tuning.sites))
    values = {name: tuning.measures[name][sites, chosen] for name in MEASURES}
    cells = {_TITLES[name]: share(float(own.mean()), 4 if name.endswith("kept") else 3) for name, own in values.items()}
    less = None if base is None else _estimate(tuning, values["f1"] - base)
    cells["F1"] = mean(_estimate(tuning, values["f1"]))
    return {"Parameters": title, **cells, "F1 less that of the defaults": difference(less)}


def chosen(tuning: Tuning) -> Table | None:
    """Show what is chosen without the site, against the defaults."""
    sites = len(tuning.sites)
    named = {title: tuning.grid.index(similarity) for title, similarity in NAMED.items()}
    base = tuning.measures["f1"][:, named["present defaults"]]
    rows = [
        _measured(tuning, title, [index] * sites, None if title == "present defaults" else base)
        for title, index in named.items()
    ]
    for rule in RULES:
        picked = cross_validated(tuning.grid, tuning.measures, rule)
        rows.append(_measured(tuning, f"{rule.title}; one site left out", picked, base))
    best = choose(tuning.grid, tuning.measures, CAREFUL, range(sites))
    rows.append(_measured(tuning, f"*{CAREFUL.title}; chosen and measured on all sites*", [best] * sites, base))
    ceiling = mean(_estimate(tuning, tuning.ceiling))
    rows.append({"Parameters": "*what any mapping of the same pages can find*", "F1": ceiling})
    title = f"The similarity tuned: template nodes at {_SETTING}, {len(tuning.grid):,} combinations"
    return Table.of("tuning", title, rows, *_NOTES)


def choices(tuning: Tuning) -> Table | None:
    """Show which parameters are chosen on all sites, and how often without one."""
    rows = [_parameters(tuning, title, tuning.grid.index(similarity)) for title, similarity in NAMED.items()]
    for rule in RULES:
        index = choose(tuning.grid, tuning.measures, rule, range(len(tuning.sites)))
        times = Counter(cross_validated(tuning.grid, tuning.measures, rule))[index]
        rows.append({**_parameters(tuning, rule.title, index), "Folds": str(times)})
    notes = (
        "The F1 is that on the sites of the choice, so it is too good.",
        f"Folds: how often of {len(tuning.sites)} the same is chosen where one site is left out.",
        f"Content kept: at most {100 * KEPT:g} % fewer of a page's own words than with the published parameters.",
    )
    return Table.of("tuning-choices", f"What is chosen on all sites at {_SETTING}", rows, *notes)


def _parameters(tuning: Tuning, title: str, index: int) -> dict[str, str]:
    one = tuning.grid.similarity(index)
    numbers = {name: getattr(one, name) for name in ("position", "classes", "children", "attributes", "threshold")}
    return {
        "Rule": title,
        **{name.capitalize(): f"{value:.1f}" for name, value in numbers.items()},
        "Rule unique": "yes" if one.unique else "no",
        **{
            _TITLES[name]: share(float(tuning.measures[name][:, index].mean()), 4 if name.endswith("kept") else 3)
            for name in ("f1", "own_words_kept", "template_words_gone")
        },
    }


def trained(tuning: Tuning, training: Training) -> Table | None:
    """Show the best combinations of a training, and one chosen for each site without it."""
    sites, measures = tuning.trained(training.name, len(training.combinations))
    if len(sites) < FEWEST:
        return None
    f1 = measures["f1"]
    # of equals the published one, then the first
    order = np.lexsort((np.arange(f1.shape[1]) != training.published, -f1.mean(axis=0).round(9)))
    without = [(f1.sum(axis=0) - own).round(9) for own in f1]
    chosen = [
        max(np.flatnonzero(own == own.max()).tolist(), key=lambda at: at == training.published) for own in without
    ]
    folds = Counter(chosen)

    def row(title: str, picked: Sequence[int], given: Mapping[str, object]) -> dict[str, str]:
        of = {name: values[range(len(sites)), picked] for name, values in measures.items()}
        index = pd.MultiIndex.from_tuples([(site, "") for site in sites])
        found = {name: estimate(pd.Series(values, index=index)) for name, values in of.items()}
        less = estimate(pd.Series(of["f1"] - f1[:, training.published], index=index))
        cells = {name.capitalize(): _number(value) for name, value in given.items()}
        shares = {_TITLES[name]: share(one.mean if one else None) for name, one in list(found.items())[:2]}
        return {"Rank": title, **cells, **shares, "F1": mean(found["f1"]), "F1 less published": difference(less)}

    rows = [row("published", [training.published] * len(sites), training.combinations[training.published])]
    rows.append(row("one site left out", chosen, {}))
    rows += [
        {**row(str(rank), [at] * len(sites), training.combinations[at]), "Folds": str(folds[at])}
        for rank, at in enumerate(map(int, order[:SHOWN]), 1)
    ]
    notes = (
        f"{len(training.combinations):,} combinations on {len(sites)} sites. The ranks are chosen on these very sites.",
        f"Folds: how often of {len(sites)} the combination is chosen where one site is left out.",
    )
    return Table.of(training.name, training.title, rows, *notes)


def conex(tuning: Tuning, parameter: str) -> Table | None:
    """Show ConEx by one parameter, the other as printed (Tables 6.1 and 6.2)."""
    found = {unit: tuning.trained(f"conex-{unit}", len(CONEX)) for unit in ("nodes", "words")}
    rows = []
    for value in sorted({given[parameter] for given in CONEX}):
        at = CONEX.index({**CONEX_PRINTED, parameter: value})
        cells = {
            f"{unit}, {_TITLES[name]}": share(float(of[name][:, at].mean()))
            for unit, (sites, of) in found.items()
            for name in MEASURES[:3]
            if sites
        }
        theirs = published.CONEX[parameter][int(value)]
        known = dict(zip(("published nodes F1", "published words F1"), map(share, theirs), strict=True))
        rows.append({parameter: f"{value:g}", **cells, **known})
    notes = ("Everything else is as printed. Nothing is chosen here.", "max_words 0: without the post-process.")
    return Table.of(parameter, f"ConEx by {parameter}", rows if found["nodes"][0] else [], *notes)


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


_TABLES: dict[str, Callable[[Tuning], Table | None]] = {
    "tuning": chosen,
    "tuning-choices": choices,
    "table-6.1": partial(conex, parameter="candidates"),
    "table-6.2": partial(conex, parameter="max_words"),
}
NAMES = (*_TABLES, *(training.name for training in trainings(Grid.coarse())))
SHOWN = 20
"""Combinations that a table of a training shows, as many as the thesis."""


def tables(tuning: Tuning, only: str | None = None) -> Iterator[Table]:
    """Yield the tables that have rows, or only one of them."""
    made = {training.name: training for training in trainings(tuning.grid)}
    for name in [only] if only else NAMES:
        table = _TABLES[name](tuning) if name in _TABLES else trained(tuning, made[name])
        if table is not None:
            yield table.named(name, f"templex-bench tune --out {tuning.path} --table {name}")
