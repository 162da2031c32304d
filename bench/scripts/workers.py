"""Workers that share a queue: the time they take, what each page costs, and what a killed worker leaves behind.

    python bench/scripts/workers.py                      # 2,000 pages: 1 worker, 4 workers, 4 of which one is killed
    python bench/scripts/workers.py --pages 400 --workers 2 --latency 0.05

The workers are `scrapy crawl pages` processes with the settings of sample_project/distributed.py, a Redis server and
a web server of this machine. One worker is killed (SIGKILL) while it holds the lease of a search, after a twentieth
of the pages; the same with the plug-in off.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from fleet import Fleet, FleetResult, made_site, redis_server, wait_for
from made_web import BigSite

OFF = {"TEMPLEX_ENABLED": False}
"""Settings for workers without the plug-in."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A crawl by several workers."""

    pages: int
    workers: int
    latency: float
    settings: dict[str, Any]
    kill: bool = False
    seconds: float = 1_800


def searching(server: redis.Redis) -> int | None:
    """The process id of a worker that holds a lease, if one does."""
    for key in server.scan_iter("*lease*"):
        owner = server.get(key) if server.type(key) == b"string" else None
        if isinstance(owner, bytes):
            return int(owner.partition(b"-")[0])
    return None


def kill_one(fleet: Fleet, is_time: Callable[[], bool], chosen: Callable[[], int | None]) -> int:
    """Kill a worker as soon as it is time and one is chosen."""
    found: list[int] = []

    def look() -> bool:
        pid = chosen() if is_time() else None
        found.extend(number for number, worker in enumerate(fleet.workers) if worker.process.pid == pid)
        return bool(found)

    wait_for(look, 300)
    fleet.workers[found[0]].kill()
    return found[0]


def run(plan: Plan) -> tuple[FleetResult, int | None]:
    """Run a plan; what came of it, and the number of the worker that was killed."""
    with tempfile.TemporaryDirectory() as name, redis_server() as url:
        log = Path(name, "asked.txt")
        with made_site(plan.pages, log, plan.latency) as start:
            fleet = Fleet(url, start, Path(name, "workers"), plan.settings)
            try:
                fleet.start(plan.workers)
                killed = _kill(plan, fleet, url, log) if plan.kill else None
                return fleet.finish(log, plan.seconds), killed
            finally:
                fleet.stop()


def _kill(plan: Plan, fleet: Fleet, url: str, log: Path) -> int:
    server = redis.Redis.from_url(url)

    def is_time() -> bool:
        return log.exists() and log.read_bytes().count(b"\n") > plan.pages / 20

    searches = plan.settings.get("TEMPLEX_ENABLED", True)
    return kill_one(fleet, is_time, lambda: searching(server) if searches else fleet.workers[0].process.pid)


def describe(title: str, plan: Plan, result: FleetResult, killed: int | None) -> None:
    """Print what came of a plan."""
    site = BigSite(plan.pages, host=f"http://{next(iter(result.items)).split('/')[2]}")
    kinds = [site.kind(url) for url in result.learnt]
    dead = f", worker {killed} killed after {result.each[killed]} items" if killed is not None else ""
    print(
        f"{title:34} {result.seconds:6.1f} s | items of {len(result.items)} of {plan.pages} pages,"
        f" {plan.pages - len(result.items)} lost, {result.twice} twice;"
        f" requests {result.asked.total()} = {result.asked.total() - plan.pages:+};"
        f" templates {len(kinds)}, learnt twice {len(kinds) - len(set(kinds))};"
        f" cleaned {result.stats['templex/items/cleaned']}; items of each worker"
        f" {', '.join(map(str, result.each))}{dead}",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds that each answer of the server takes")
    parser.add_argument("--only", choices=["time", "kill"], help="only the times, or only the kills")
    options = parser.parse_args(arguments)
    print(f"{options.pages} pages, {options.latency} s an answer, {os.cpu_count()} cores")
    basis = {"pages": options.pages, "latency": options.latency}
    plans: list[tuple[str, Plan]] = []
    if options.only != "kill":
        for number in (1, options.workers):
            plans.append((f"{number} workers, plug-in off", Plan(**basis, workers=number, settings=OFF)))
            plans.append((f"{number} workers", Plan(**basis, workers=number, settings={})))
    if options.only != "time":
        for title, settings in (("one killed, plug-in off", OFF), ("one killed", {})):
            plans.append((title, Plan(**basis, workers=options.workers, settings=settings, kill=True)))
    for title, plan in plans:
        describe(title, plan, *run(plan))


if __name__ == "__main__":
    main()
