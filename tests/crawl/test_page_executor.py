"""How the work on pages is spread over the turns of the event loop."""

import asyncio
import threading

import pytest

from templex_scrapy.crawl import page_executor
from templex_scrapy.crawl.page_executor import THREAD_WEIGHT, TURN_SECONDS, PageExecutor


@pytest.fixture
def done_in_order(monkeypatch):
    """Do four pieces of work, of which two fill a turn, and a download that is to begin after the third."""
    clock = [0.0]
    monkeypatch.setattr(page_executor.time, "perf_counter", lambda: clock[0])
    return lambda *at_once: _done_in_order(clock, at_once)


def _done_in_order(clock, at_once):
    done = []
    executor = PageExecutor()

    async def work_on(number):
        def work():
            clock[0] += 0.6 * TURN_SECONDS
            done.append(number)

        await executor.do(1, work, at_once=number in at_once)

    async def download():
        await executor.catch_up()
        done.append("download")

    async def crawl():
        # due before a pause of 1 ms ends, and after one of none: what is ready later has its turn too
        asyncio.get_running_loop().call_later(0.0005, done.append, "others")
        await asyncio.gather(work_on(0), work_on(1), work_on(2), download(), work_on(3))

    asyncio.run(crawl())
    return done


def test_others_have_their_turn_before_too_much_is_done_in_one_and_downloads_begin_after_the_pages_that_wait(
    done_in_order,
):
    assert done_in_order() == [0, 1, "others", 2, "download", 3]


def test_what_many_pages_wait_for_does_not_queue_behind_them(done_in_order):
    assert done_in_order(3) == [0, 1, "others", 2, 3, "download"]
    assert done_in_order(0, 1, 2, 3) == [0, 1, "download", "others", 2, 3]


def test_heavy_work_is_done_in_a_thread():
    """In one thread, and in another one what many pages wait for: more would do no more at a time."""
    has_ended = threading.Event()

    def work():
        assert has_ended.wait(60)
        return threading.current_thread()

    async def threads():
        executor = PageExecutor()
        waiting = [asyncio.create_task(executor.do(THREAD_WEIGHT, work)) for _ in range(4)]
        await asyncio.sleep(0)
        at_once = await executor.do(THREAD_WEIGHT, threading.current_thread, at_once=True)
        has_ended.set()
        return at_once, set(await asyncio.gather(*waiting))

    at_once, (thread,) = asyncio.run(threads())
    assert len({at_once, thread, threading.main_thread()}) == 3
