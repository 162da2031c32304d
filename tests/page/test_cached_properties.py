"""Properties that are computed once, in any thread."""

import threading

from templex_scrapy.page import cached_property


class Slow:
    def __init__(self, may_end):
        self.may_end = may_end
        self.times = 0

    @cached_property
    def value(self):
        """Wait for the event."""
        self.times += 1
        self.may_end.wait(60)
        return 7


def test_a_value_is_computed_once():
    done = threading.Event()
    done.set()
    slow = Slow(done)
    assert slow.value + slow.value == 14
    assert slow.times == 1
    assert Slow.value.__doc__ == "Wait for the event."


def test_one_instance_does_not_wait_for_another():
    held, free = threading.Event(), threading.Event()
    free.set()
    working = threading.Thread(target=lambda: Slow(held).value)
    working.start()
    other = threading.Thread(target=lambda: Slow(free).value, daemon=True)
    other.start()
    other.join(30)
    was_held_up = other.is_alive()
    held.set()
    working.join()
    assert not was_held_up
