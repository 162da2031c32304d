"""How the rows of a results file were made: the commands that make them again, and by which versions."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from templex_bench.results import Results, RunOf

PROGRAM = ("python", "-m", "templex_bench")
RESULTS = "results.sqlite"


def command_of(*words: str) -> str:
    """A command line of the workbench, quoted for a shell."""
    return shlex.join([*PROGRAM, *words])


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How the rows of a report were made.

    Attributes:
        report: the command that makes the report from the results file; with ``--table`` and a name behind it, it
            prints one table.
        runs: for each suite the command that makes its experiments; under the empty name that for all suites. With
            ``--table`` and a name behind it, it prints one table after that.
        versions: for each method the versions of the code that made its rows.
        results: name of the results file, without its folder.
        folder: the folder that the report is written into; empty: that of the results file.
    """

    report: str = command_of("report", RESULTS)
    runs: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    results: str = RESULTS
    folder: str = ""

    def again(self, suite: str = "") -> str:
        """The command to which ``--table`` and a name are added to have a table of a suite, or of all, again."""
        return self.runs.get(suite, self.report)

    @property
    def whole(self) -> str:
        """The command that writes the whole report again, in the same place."""
        return f"{self.report} {shlex.join(['--folder', self.folder])}" if self.folder else self.report

    @property
    def made_by(self) -> str:
        """The command that makes all experiments."""
        return self.runs.get("", command_of("run", "FOLDER", "--results", RESULTS))


def provenance_of(results: Results) -> Provenance:
    """How the rows of a results file were made, as far as it tells."""
    path = str(results.path)
    runs = results.runs()
    commands = {
        suite: _commands([run for run in runs if run.suite == suite], path) for suite in {r.suite for r in runs}
    }
    if runs:
        commands[""] = _commands(runs, path)
    report = command_of("report", path)
    return Provenance(report=report, runs=commands, versions=results.versions(), results=results.path.name)


def _commands(runs: Iterable[RunOf], path: str) -> str:
    return joined(runs, ["run"], ["--results", path])


def joined(runs: Iterable[RunOf], before: Sequence[str], after: Sequence[str]) -> str:
    """One line for a shell that repeats some runs; folders that were run with the same options are run together.

    Args:
        runs: the runs.
        before: words in front of the folders.
        after: words behind them; the options of each run follow.
    """
    folders: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        folders.setdefault(tuple(run.options), []).append(run.folder)
    lines = [command_of(*before, *dict.fromkeys(together), *after, *options) for options, together in folders.items()]
    # a run with a page that cannot be measured ends with 1, and the last one is to come all the same
    return "; ".join(lines)
