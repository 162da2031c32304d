"""A Redis server to store templates on."""

import shutil
import signal
import socket
import subprocess

import pytest
from redis import Redis
from redis.exceptions import RedisError

from helpers.waiting import wait_for


class RedisServer:
    """A Redis server on a free port of this machine, that keeps nothing on disk."""

    def __init__(self, folder):
        program = shutil.which("redis-server")
        assert program is not None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        command = [program, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
        self._command = [*command, "--port", str(self.port)]
        self.client = Redis(port=self.port)
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)  # noqa: S603
        wait_for(self._answers)

    def kill(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self):
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def _answers(self):
        try:
            return bool(self.client.ping())
        except RedisError:
            return False


def running(folder):
    """Yield a server that has started; skip the test where the program is missing."""
    if shutil.which("redis-server") is None:
        pytest.skip("NO REDIS SERVER: apt-get install redis-server")
    server = RedisServer(folder)
    server.start()
    yield server
    server.kill()
