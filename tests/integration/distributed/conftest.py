"""Processes on one Redis server, and a made site that they crawl."""

import shutil

import pytest
from redis_server import RedisServer

NO_REDIS = "NO REDIS SERVER: crawls by several processes are not tested (apt-get install redis-server)"


@pytest.fixture
def redis_url(tmp_path):
    """A Redis server of this test alone."""
    if shutil.which("redis-server") is None:
        pytest.skip(NO_REDIS)
    server = RedisServer(tmp_path)
    server.start()
    yield server.url
    server.kill()
