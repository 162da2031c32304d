"""What the report says first: the key figures, and a few sentences computed from the experiments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from templex_bench import names
from templex_bench.candidate_tables import by_size
from templex_bench.difference_tables import best_of_ours, in_category, overall_differences
from templex_bench.left_out import left_out_of
from templex_bench.measure_tables import FITTED, category_word, ranked
from templex_bench.names import printable
from templex_bench.prose import Paragraph, counted
from templex_bench.runtime_tables import timed, trend
from templex_bench.study import Estimate, Study, loads, precision, recall
from templex_bench.tables import signed
from templex_bench.variants import Method, first_of_each, methods


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A figure that stands out.

    Attributes:
        label: what it is.
        value: the figure.
        interval: its confidence interval, empty where there is none.
        basis: on what it rests.
    """

    label: str
    value: str
    interval: str
    basis: str


def key_figures(studies: Sequence[Study]) -> list[KeyFigure]:
    """F1 of the best detector for each target of each suite, and the difference to the best peer."""
    found: list[KeyFigure] = []
    for study in studies:
        for target, unit in (("template", "nodes"), ("content", "words"), ("menu", "links")):
            best = best_of_ours(study, target, unit)
            mean = study.estimate(best.rows) if best else None
            if best is None or mean is None:
                continue
            label = f"{best.title}: F1 of the {target}'s {unit}"
            found.append(KeyFigure(label, f"{mean.mean:.3f}", _interval(mean), _basis(study, mean)))
            for peer, less in overall_differences(study, target, unit)[:1]:
                label = f"{best.title} against the best peer, {peer.title}"
                found.append(KeyFigure(label, signed(less.mean), _interval(less, sign=True), _basis(study, less)))
    return found


def paragraphs(studies: Sequence[Study]) -> list[Paragraph]:
    """The summary: for each suite what was measured, then a paragraph for each question that it answers."""
    makers = (
        ("Template", _template),
        ("Size of the subdigraph", _sizes),
        ("Main content", _content),
        ("Main menu", _menu),
        ("Runtime", _growth),
    )
    found: list[Paragraph] = []
    for study in studies:
        found.append(Paragraph(f"Suite {study.suite}", _extent(study)))
        found += [Paragraph(label, text) for label, maker in makers if (text := maker(study))]
    return found


def _extent(study: Study) -> str:
    population = study.population()
    roles = [names.role(detector) for detector in {row.detector for row in study.experiments}]
    made, errors = study.counts
    parts = [
        f"{counted(made, 'experiment')} with {counted(roles.count('ours'), 'method')}",
        f"and {counted(roles.count('peer'), 'peer')}",
        f"on {counted(population.pages, 'key page')} of {counted(population.sites, 'site')};",
        f"{counted(errors, 'experiment') if errors else 'none'} went wrong.",
        *([f"{counted(study.lost, 'key page')} could not be measured: see Errors."] if study.lost else []),
    ]
    return " ".join(parts)


def _template(study: Study) -> str:
    found = ranked(study, first_of_each(methods(study.rows("template", "nodes"))))
    own = [method for method in found if method.role == "ours"]
    if not own:
        return ""
    told = [_told(study, method) for method in own[:2]]
    text = f"The nodes of the template are found best by {' and '.join(told)}"
    bounds = [method for method in found if method.role == "bound"]
    if bounds:
        text += f"; the bound “{bounds[0].title}” is {_f1(study, bounds[0])}"
    return f"{text}.{_elsewhere(study, own[0], 'template', 'nodes')}"


def _sizes(study: Study) -> str:
    sizes = by_size(study, "temex", "template", "nodes")
    means = {size: (study.estimate(rows), study.estimate(rows, loads)) for size, rows in sizes.items()}
    known = {size: (mean, load) for size, (mean, load) in means.items() if mean and load}
    if len(known) < 2:
        return ""
    parts = [f"{mean.mean:.3f} at size {size} ({load.mean:.1f} loads)" for size, (mean, load) in known.items()]
    shown = [parts[place] for place in sorted({0, min(2, len(parts) - 1), len(parts) - 1})]
    return f"With the size of the complete subdigraph the F1 of TemEx goes from {', to '.join(shown)}."


def _content(study: Study) -> str:
    best = best_of_ours(study, "content", "words")
    if best is None:
        return ""
    text = f"The words of the main content are found best by {_told(study, best)}"
    against = overall_differences(study, "content", "words")
    if not against:
        return f"{text}.{_elsewhere(study, best, 'content', 'words')}"
    peer, less = against[0]
    wrong = f", {peer.errors} of whose {len(peer.rows)} experiments went wrong" if peer.errors else ""
    text += f"; the best peer is {peer.title} with {_f1(study, peer)}{wrong}, a difference of {signed(less.mean)}"
    text = f"{text}{_bracket(_interval(less, sign=True))}. {_significant(study, best, peer)}".strip()
    return text + _elsewhere(study, best, "content", "words")


def _significant(study: Study, best: Method, peer: Method) -> str:
    """In which categories the difference to a peer leaves out 0."""
    told = 0
    above: list[str] = []
    below: list[str] = []
    for category in study.categories:
        less = study.difference(in_category(best.rows, category), in_category(peer.rows, category))
        if less is None or less.interval is None:
            continue
        told += 1
        if less.interval.without_zero:
            (above if less.mean > 0 else below).append(category)
    if not told:
        return ""
    better, worse = (printable(", ".join(found)) or "none" for found in (above, below))
    word = category_word(study)
    return f"By {word} it is significantly better than {peer.title} in {better}, significantly worse in {worse}."


def _menu(study: Study) -> str:
    best = best_of_ours(study, "menu", "links")
    if best is None:
        return ""
    told = f"The links of the main menu are found best by {_told(study, best)}."
    return told + _elsewhere(study, best, "menu", "links")


def _elsewhere(study: Study, method: Method, target: str, unit: str) -> str:
    """What the figure of a method is worth on sites that had no part in its choice; with a space in front."""
    fitted = f" {FITTED[method.name]}" if method.name in FITTED else ""
    validated = left_out_of(study, method, target, unit)
    if validated is None or validated.f1 is None:
        return fitted
    mean = validated.f1
    told = f"{mean.mean:.3f}{_bracket(_interval(mean))}"
    chosen = "the reading of its paper, and nothing else, chosen for each site on all other sites"
    return f"{fitted} With {chosen}, {method.title} has F1 {told}."


def _growth(study: Study) -> str:
    parts = []
    for method in timed(study, "template"):
        line = trend(study, method.rows)
        if line is not None:
            parts.append(f"{method.title} {line.exponent:.2f}")
    return f"The runtime grows with the nodes to the power of: {', '.join(parts)}." if parts else ""


def _told(study: Study, method: Method) -> str:
    """A method with its F1, recall and precision."""
    complete, sure = study.estimate(method.rows, recall), study.estimate(method.rows, precision)
    rest = f", recall {complete.mean:.3f}, precision {sure.mean:.3f}" if complete and sure else ""
    return f"{method.title} (F1 {_f1(study, method)}{rest})"


def _f1(study: Study, method: Method) -> str:
    mean = study.estimate(method.rows)
    return f"{mean.mean:.3f}{_bracket(_interval(mean))}" if mean else "unknown"


def _interval(mean: Estimate, *, sign: bool = False) -> str:
    if mean.interval is None:
        return ""
    low, high = mean.interval.low, mean.interval.high
    return f"{signed(low)} to {signed(high)}" if sign else f"{low:.3f} to {high:.3f}"


def _bracket(interval: str) -> str:
    return f" [{interval}]" if interval else ""


def _basis(study: Study, mean: Estimate) -> str:
    population = study.population()
    sites = (
        counted(mean.sites, "site") if mean.sites == population.sites else f"{mean.sites} of {population.sites} sites"
    )
    return f"{study.suite}, {sites}, {counted(mean.pages, 'key page')}"
