"""A server of S3 on loopback, for tests of results at an address."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def serving(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yields the address of a bucket of a server that runs meanwhile, for this process and its children."""
    from fsspec import get_filesystem_class
    from joblib.externals.loky import get_reusable_executor
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        }.items():
            patch.setenv(name, value)
        get_reusable_executor().shutdown()      # its processes have the environment they began with
        files = get_filesystem_class("s3")
        files.clear_instance_cache()
        bucket = f"bucket-{uuid.uuid4().hex}"       # a server forgets none of another in the same process
        files().mkdir(bucket)
        yield f"s3://{bucket}"
        files.clear_instance_cache()
    finally:
        server.stop()
