"""How the work on pages is spread over the turns of the event loop."""

import asyncio
import threading

from templex_scrapy.crawl import page_executor
from templex_scrapy.crawl.page_executor import THREAD_WEIGHT, TURN_SECONDS, PageExecutor


def test_others_have_their_turn_before_too_much_is_done_in_one_and_downloads_begin_after_the_pages_that_wait(
    monkeypatch,
):
    """Four pieces of work, of which two fill a turn, and a download that is to begin after the third."""
    clock, done, executor = [0.0], [], PageExecutor()
    monkeypatch.setattr(page_executor.time, "perf_counter", lambda: clock[0])

    async def work_on(number):
        def work():
            clock[0] += 0.6 * TURN_SECONDS
            done.append(number)

        await executor.do(1, work)

    async def download():
        await executor.catch_up()
        done.append("download")

    async def crawl():
        # due before a pause of 1 ms ends, and after one of none: what is ready later has its turn too
        asyncio.get_running_loop().call_later(0.0005, done.append, "others")
        await asyncio.gather(work_on(0), work_on(1), work_on(2), download(), work_on(3))

    asyncio.run(crawl())
    assert done == [0, 1, "others", 2, "download", 3]


def test_heavy_work_is_done_in_one_thread():
    """More threads would do no more at a time."""

    async def threads():
        executor = PageExecutor()
        return set(await asyncio.gather(*(executor.do(THREAD_WEIGHT, threading.current_thread) for _ in range(4))))

    (thread,) = asyncio.run(threads())
    assert thread is not threading.main_thread()
