"""The tables of the tuning, and what they say in a few sentences."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from statistics import fmean

import numpy as np

from templex_bench.bootstrap import Bootstrap
from templex_bench.names import printable
from templex_bench.plan import EQUAL_SIZE, VOTES
from templex_bench.prose import Paragraph, counted, listed
from templex_bench.results import ResultsError
from templex_bench.study import Estimate
from templex_bench.tables import (
    Cell,
    Column,
    Row,
    Table,
    decimal,
    difference,
    estimated,
    ratio,
    signed,
    text,
    whole,
)
from templex_bench.tuning.choice import (
    CAREFUL,
    KEPT,
    RULES,
    Field,
    Setting,
    choose,
    cross_validated,
    in_folds,
    one_by_one,
)
from templex_bench.tuning.grid import Floats, Grid
from templex_bench.tuning.measures import Measures, measures_of
from templex_bench.tuning.store import TuningResults
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_QUICK, TEMPLEX, Similarity

NAMED: dict[str, Similarity] = {
    "present defaults": TEMPLEX,
    "published, Table 8.5": PUBLISHED,
    "published, quick": PUBLISHED_QUICK,
}
"""Parameters that are fixed: nothing about them was chosen by this measurement."""

FOLDS = 4

FEWEST = 2
"""Sites that it takes: one to measure on, and one to choose on."""

_SHOWN = (
    ("recall", "Recall", 3),
    ("precision", "Precision", 3),
    ("place_f1", "F1 by place alone", 3),
    ("own_words_kept", "Own words kept", 4),
    ("content_words_kept", "Main content kept", 4),
    ("template_words_gone", "Template words gone", 3),
)
_ALL_SITES = "chosen and measured on all sites (too good)"
_NOTES = (
    "Template nodes as the plug-in votes: found on enough pages, and saying the same there.",
    "By place alone: as the papers vote.",
    "Words are those of the key page cleaned as an item; own words stand outside the gold template.",
    "Each site is measured with what was chosen without it, unless the row says otherwise.",
    f"In brackets the 95 % interval by bootstrap over sites, from {Bootstrap().fewest_sites} sites on.",
)


@dataclass(frozen=True)
class Tuning:
    """What a file of results says.

    Attributes:
        results: the file.
        command: what prints these tables; with ``--table`` and a name behind it, it prints one.
        bootstrap: what makes the intervals.
    """

    results: TuningResults
    command: str
    bootstrap: Bootstrap = field(default_factory=Bootstrap)

    @property
    def grid(self) -> Grid:
        """The combinations."""
        return self.results.grid

    @cached_property
    def sizes(self) -> list[int]:
        """The sizes that were measured."""
        return sorted({size for size, _ in self.results.settings()})

    @property
    def size(self) -> int:
        """The size that the defaults are for: 3, or the one nearest to it."""
        return min(self.sizes, key=lambda size: abs(size - EQUAL_SIZE))

    @cached_property
    def _measures(self) -> dict[Setting, Measures]:
        return {}

    def measures(self, size: int, votes: int) -> Measures:
        """The measures at a size and a number of votes."""
        if (size, votes) not in self._measures:
            self._measures[size, votes] = measures_of(self.results.scores(size, votes))
        return self._measures[size, votes]

    def field(self, size: int) -> Field:
        """What there is to choose from at a size, with any number of votes."""
        measures = {votes: self.measures(size, votes) for votes in range(1, size + 1)}
        return Field.of(self.grid, measures, published_votes(size))

    @cached_property
    def main(self) -> Field:
        """What there is to choose from at the size that the defaults are for, with the published votes."""
        return self.field(self.size).with_votes(published_votes(self.size))

    @property
    def main_measures(self) -> Measures:
        """The measures of :attr:`main`."""
        return self.measures(self.size, published_votes(self.size))

    def f1_of(self, similarity: Similarity) -> Floats:
        """The F1 of a fixed combination on each site, at the size and the votes of the defaults."""
        return self.main_measures.f1[:, self.grid.index(similarity)]

    def estimate(self, values: Floats) -> Estimate:
        """The mean of one value for each site."""
        numbers = [float(value) for value in values]
        return Estimate(fmean(numbers), self.bootstrap.mean(numbers), len(numbers), len(numbers))

    def table(self, name: str) -> Table:
        """One table.

        Raises:
            ResultsError: if there is none of that name; the message names those that there are.
        """
        check_name(name)
        again = f"{self.command} --table {shlex.quote(name)}"
        return replace(_TABLES[name](self), name=name, command=again)

    def tables(self) -> tuple[Table, ...]:
        """All tables."""
        return tuple(map(self.table, _TABLES))


def check_name(name: str) -> None:
    """Refuse the name of a table that the tuning does not have.

    Raises:
        ResultsError: if there is none of that name; the message names those that there are.
    """
    if name not in _TABLES:
        raise ResultsError(f"no table {name!r} of the tuning; there are: {', '.join(_TABLES)}")


def published_votes(size: int) -> int:
    """The number of votes for a size (thesis, Table 8.4), carried on for larger sizes."""
    return VOTES.get(size, (size + 1) // 2)


def checked(tuning: Tuning) -> Tuning:
    """The same.

    Raises:
        ResultsError: if there are fewer than two sites with a gold template in the file, so that no choice can be
            validated.
    """
    if len(tuning.results.scored()) < FEWEST:
        what = "fewer than two sites with a gold template: no choice could be validated"
        raise ResultsError(f"{tuning.results.path} has {what}")
    return tuning


def _chosen_table(tuning: Tuning) -> Table:
    measures = tuning.main_measures
    base = measures.f1[:, tuning.grid.index(TEMPLEX)]
    rows: list[Row] = []
    for title, similarity in NAMED.items():
        values = partial(_fixed, measures, tuning.grid.index(similarity))
        rows.append(_measured_row(tuning, title, values, None if similarity == TEMPLEX else base))
    for rule in RULES:
        for make_folds, how in ((one_by_one, "one site left out"), (in_folds, f"{FOLDS} folds")):
            validated = cross_validated(tuning.main, rule, make_folds)
            rows.append(_measured_row(tuning, f"{rule.title}; {how}", validated.values, base))
    _, index = choose(tuning.main, CAREFUL, range(tuning.main.sites))
    optimistic = _measured_row(tuning, f"{CAREFUL.title}; {_ALL_SITES}", partial(_fixed, measures, index), base)
    rows.append(replace(optimistic, kind="bound"))
    ceiling = (text("what any mapping of the same pages can find"), estimated(tuning.estimate(measures.ceiling)))
    rows.append(Row((*ceiling, *(Cell() for _ in _SHOWN), Cell()), "bound"))
    return Table(
        name="",
        title=f"The similarity tuned: template nodes at {_setting(tuning)}",
        notes=_NOTES,
        columns=(
            Column("Parameters", numeric=False),
            Column("F1"),
            *(Column(title) for _, title, _ in _SHOWN),
            Column("F1, against the present defaults"),
        ),
        rows=tuple(rows),
    )


def _setting(tuning: Tuning) -> str:
    return f"{tuning.size} pages and {published_votes(tuning.size)} votes"


def _fixed(measures: Measures, index: int, name: str) -> Floats:
    values: Floats = getattr(measures, name)[:, index]
    return values


def _measured_row(tuning: Tuning, title: str, values: Callable[[str], Floats], base: Floats | None) -> Row:
    f1 = values("f1")
    cells = [text(title), estimated(tuning.estimate(f1))]
    cells += [decimal(float(values(name).mean()), digits) for name, _, digits in _SHOWN]
    cells.append(Cell() if base is None else difference(tuning.estimate(f1 - base)))
    return Row(tuple(cells))


def _sizes_table(tuning: Tuning) -> Table:
    rows = []
    for size in tuning.sizes:
        votes = published_votes(size)
        field = tuning.field(size)
        fixed = field.measures[votes]
        tuned = cross_validated(field.with_votes(votes), CAREFUL)
        free = cross_validated(field, CAREFUL)
        cells = [
            whole(size),
            whole(votes),
            *(ratio(float(fixed.f1[:, tuning.grid.index(similarity)].mean())) for similarity in NAMED.values()),
            estimated(tuning.estimate(tuned.values("f1"))),
            decimal(float(tuned.values("own_words_kept").mean()), 4),
            ratio(float(tuned.values("template_words_gone").mean())),
            estimated(tuning.estimate(free.values("f1"))),
            whole(Counter(number for number, _ in free.chosen).most_common(1)[0][0]),
            ratio(float(fixed.ceiling.mean())),
            decimal(float(fixed.loads.mean())),
        ]
        rows.append(Row(tuple(cells)))
    return Table(
        name="",
        title="The similarity tuned: F1 of template nodes by size of the complete subdigraph",
        notes=(
            "Votes are those of the thesis's Table 8.4, and where they are tuned, chosen together with the similarity.",
            f"Tuned: {CAREFUL.title}; each site with what was chosen without it.",
            "Loads include the key page.",
        ),
        columns=(
            Column("Size"),
            Column("Votes"),
            *(Column(title) for title in NAMED),
            Column("Tuned"),
            Column("Own words kept"),
            Column("Template words gone"),
            Column("Tuned, votes too"),
            Column("Votes chosen most"),
            Column("Ceiling"),
            Column("Loads"),
        ),
        rows=tuple(rows),
    )


def _votes_table(tuning: Tuning) -> Table:
    index = tuning.grid.index(TEMPLEX)
    rows = []
    for size, votes in tuning.results.settings():
        measures = tuning.measures(size, votes)
        f1, kept, content, gone = (
            float(measures.means(name)[index])
            for name in ("f1", "own_words_kept", "content_words_kept", "template_words_gone")
        )
        cells = (whole(size), whole(votes), ratio(f1), decimal(kept, 4), decimal(content, 4), ratio(gone))
        rows.append(Row((*cells, decimal(float(measures.loads.mean())))))
    return Table(
        name="",
        title="The present defaults at every size and number of votes",
        notes=(
            "Nothing here is chosen by the measurement.",
            _NOTES[2],
            "From one page alone nothing is removed.",
            "Loads include the key page.",
        ),
        columns=(
            Column("Size"),
            Column("Votes"),
            Column("F1"),
            Column("Own words kept"),
            Column("Main content kept"),
            Column("Template words gone"),
            Column("Loads"),
        ),
        rows=tuple(rows),
    )


def _choices_table(tuning: Tuning) -> Table:
    rows = []
    for title, similarity in NAMED.items():
        rows.append(_parameters_row(tuning, title, tuning.grid.index(similarity), Cell()))
    for rule in RULES:
        _, index = choose(tuning.main, rule, range(tuning.main.sites))
        chosen = Counter(number for _, number in cross_validated(tuning.main, rule).chosen)
        rows.append(_parameters_row(tuning, rule.title, index, whole(chosen[index])))
    return Table(
        name="",
        title=f"What is chosen on all sites at {_setting(tuning)}",
        notes=(
            "The F1 is that on the sites of the choice, so it is too good; the tables above tell what to expect.",
            f"Folds: how often of {tuning.main.sites} the same is chosen where one site is left out.",
            f"Content kept: at most {100 * KEPT:g} % fewer of a page's own words than with the published parameters.",
        ),
        columns=(
            Column("Rule", numeric=False),
            *(Column(title) for title in ("Position", "Classes", "Children", "Attributes", "Threshold", "Option")),
            Column("Rule unique", numeric=False),
            Column("F1"),
            Column("Own words kept"),
            Column("Template words gone"),
            Column("Folds"),
        ),
        rows=tuple(rows),
    )


def _parameters_row(tuning: Tuning, title: str, index: int, folds: Cell) -> Row:
    measures = tuning.main_measures
    one = tuning.grid.similarity(index)
    numbers = (one.position, one.classes, one.children, one.attributes, one.threshold)
    f1, kept, gone = (float(measures.means(name)[index]) for name in ("f1", "own_words_kept", "template_words_gone"))
    return Row(
        (
            text(title),
            *(decimal(number, 1) for number in numbers),
            whole(one.option),
            text("yes" if one.unique else "no"),
            ratio(f1),
            decimal(kept, 4),
            ratio(gone),
            folds,
        )
    )


def _thresholds_table(tuning: Tuning) -> Table:
    cube = _f1_cube(tuning)
    rows = []
    for number, threshold in enumerate(tuning.grid.thresholds):
        best = cube[:, :, number].max(axis=1)
        rows.append(Row((decimal(threshold / 10, 1), *(ratio(float(value)) for value in best))))
    return Table(
        name="",
        title="F1 of template nodes by threshold and position option, with the best weights for each",
        notes=("Mean over all sites at the same size and votes as above; not cross-validated.",),
        columns=(
            Column("Threshold"),
            *(
                Column(f"Option {option}", "rule unique" if unique else "as published")
                for unique, option in tuning.grid.variants
            ),
        ),
        rows=tuple(rows),
    )


def _weights_table(tuning: Tuning) -> Table:
    cube = _f1_cube(tuning)
    weights = np.array(tuning.grid.weights)
    rows = []
    for tenths in sorted(set(weights.reshape(-1).tolist())):
        cells = [decimal(tenths / 10, 1)]
        for column in range(4):
            some = cube[:, weights[:, column] == tenths, :]
            cells += [ratio(float(some.max())), ratio(float(np.median(some)))] if some.size else [Cell(), Cell()]
        rows.append(Row(tuple(cells)))
    return Table(
        name="",
        title="F1 of template nodes by the weight of each property",
        notes=("Best and median over all combinations with that weight; mean over all sites, not cross-validated.",),
        columns=(
            Column("Weight"),
            *(
                Column(what, name)
                for name in ("position", "classes", "children", "attributes")
                for what in ("best", "median")
            ),
        ),
        rows=tuple(rows),
    )


def _f1_cube(tuning: Tuning) -> Floats:
    return tuning.main_measures.means("f1").reshape(tuning.grid.shape)


_TABLES: dict[str, Callable[[Tuning], Table]] = {
    "tuning": _chosen_table,
    "tuning-choices": _choices_table,
    "tuning-sizes": _sizes_table,
    "tuning-votes": _votes_table,
    "tuning-thresholds": _thresholds_table,
    "tuning-weights": _weights_table,
}
NAMES = tuple(_TABLES)
"""The names of the tables."""


def paragraphs(tuning: Tuning) -> Iterator[Paragraph]:
    """What the tuning says about the defaults, and how they follow from it."""
    measures = tuning.main_measures
    published, defaults = (tuning.f1_of(similarity) for similarity in (PUBLISHED, TEMPLEX))
    tuned = cross_validated(tuning.main, CAREFUL).values("f1")
    yield Paragraph(
        "The grid",
        f"{len(tuning.grid):,} combinations at {counted(len(tuning.results.settings()), 'setting')} of size and votes "
        f"on {counted(len(measures.sites), 'site')}, in {_minutes(tuning.results.seconds())} of CPU time."
        f"{_left_out(tuning)}",
    )
    yield Paragraph(
        "Measured on sites that had no part in the choice",
        f"At {_setting(tuning)} the present defaults reach F1 {defaults.mean():.3f}, the published parameters "
        f"{published.mean():.3f}, and what the rule “{CAREFUL.title}” chooses without the site {tuned.mean():.3f}: "
        f"{_told(tuning.estimate(tuned - defaults))} to the defaults. No mapping of the same pages can exceed "
        f"{measures.ceiling.mean():.3f}.",
    )
    yield Paragraph("How the defaults follow", " ".join([*_on_rules(tuning, defaults), *_on_settings(tuning)]))


def _left_out(tuning: Tuning) -> str:
    """The key pages without scores; with a space in front."""
    urls = [url for _, _, url, _ in tuning.results.left_out()]
    if not urls:
        return ""
    told = printable(", ".join(urls))
    return f" Left out, since their lists of children would take too long: {counted(len(urls), 'key page')}: {told}."


def _on_rules(tuning: Tuning, defaults: Floats) -> Iterator[str]:
    """Whether any way to choose from the grid would have been better than the defaults."""
    yield "What counts is first that no content is lost, then that the template is gone."
    gains = {rule.title: tuning.estimate(cross_validated(tuning.main, rule).values("f1") - defaults) for rule in RULES}
    better = [title for title, gain in gains.items() if gain.interval and gain.interval.low > 0]
    if all(gain.interval is None for gain in gains.values()):
        title, gain = max(gains.items(), key=lambda item: item[1].mean)
        yield (
            f"Of the {len(RULES)} rules that choose without the site “{title}” does best, {_told(gain)} that would "
            "tell whether a difference to the defaults is more than chance."
        )
    elif better:
        yield f"Significantly more template nodes than the defaults find: {listed([f'“{title}”' for title in better])}."
    else:
        yield (
            f"None of the {len(RULES)} rules that choose without the site finds significantly more template nodes than "
            "the defaults, so that the grid gives no reason to change them."
        )
    yield (
        "The defaults were chosen by hand on this package's development sites: measured there, the cross-validated "
        "figure tells what to expect elsewhere, and theirs does not."
    )


def _on_settings(tuning: Tuning) -> Iterator[str]:
    """The size and the votes of the present defaults against all others: first what is kept, then what is found."""
    index = tuning.grid.index(TEMPLEX)
    found = {
        setting: (float(measures.means("own_words_kept")[index]), float(measures.means("f1")[index]))
        for setting in tuning.results.settings()
        for measures in [tuning.measures(*setting)]
    }
    own = tuning.size, published_votes(tuning.size)
    kept, f1 = found[own]
    better = {setting: values for setting, values in found.items() if values[1] > f1}
    rivals = [setting for setting, values in better.items() if values[0] >= kept]
    verb = "finds" if len(rivals) == 1 else "find"
    yield (
        f"With them {_setting(tuning)} keep {kept:.4f} of a page's own words; of the sizes and votes measured "
        f"{len(rivals) or 'none'} that keep as much {verb} more template nodes."
    )
    if better and not rivals:
        size, votes = max(better, key=lambda setting: better[setting])
        kept, f1 = better[size, votes]
        which = f"{counted(size, 'page')} and {counted(votes, 'vote')}"
        yield f"Of those that find more, {which} keep most: {kept:.4f}, with F1 {f1:.3f}."


def _minutes(seconds: float) -> str:
    return counted(round(seconds / 60), "minute") if seconds >= 90 else counted(round(seconds), "second")


def _told(gain: Estimate) -> str:
    interval = gain.interval
    if interval is None:
        return f"{signed(gain.mean)}, on too few sites for an interval"
    verdict = "a significant difference" if interval.without_zero else "no significant difference"
    return f"{signed(gain.mean)} [{signed(interval.low)}, {signed(interval.high)}], {verdict}"
