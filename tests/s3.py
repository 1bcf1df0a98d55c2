"""A server of S3 on loopback, for tests of results at an address."""

from __future__ import annotations

import http.client
import http.server
import logging
import os
import threading
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


class Trouble:
    """What a proxy in front of the server does to requests: `left` of them, or all when that is below 0."""

    def __init__(self) -> None:
        self.how = "none"               # "cut" in the middle of what is sent, or the status of an answer
        self.left = 0

    def begin(self, how: str, left: int) -> None:
        """Has trouble begin."""
        self.how, self.left = how, left


_DENIED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"


@contextmanager
def troubled(patch: pytest.MonkeyPatch) -> Iterator[Trouble]:
    """Puts a proxy in front of the server that is serving, and yields what troubles it."""
    from fsspec import get_filesystem_class

    server, trouble = os.environ["AWS_ENDPOINT_URL"].removeprefix("http://"), Trouble()

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def handle_any(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            if trouble.left:
                trouble.left -= 1
                self.rfile.read(size // 2 if trouble.how == "cut" else size)
                if trouble.how == "cut":
                    self.close_connection = True
                else:
                    self._answer(int(trouble.how), [], _DENIED if trouble.how == "403" else b"")
                return
            behind = http.client.HTTPConnection(server)
            behind.request(self.command, self.path, self.rfile.read(size), dict(self.headers.items()))
            answer = behind.getresponse()
            content, headers = answer.read(), answer.getheaders()
            behind.close()
            self._answer(answer.status, headers, content)

        def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
            told = {name.lower(): value for name, value in headers}
            for name in ("transfer-encoding", "connection", "date", "server"):
                told.pop(name, None)
            if self.command != "HEAD":  # which tells of a length and sends nothing
                told["content-length"] = str(len(content))
            self.send_response(status)
            for name, value in told.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any     # noqa: N815

    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.server_address[1]}")
        get_filesystem_class("s3").clear_instance_cache()
        yield trouble
    finally:
        proxy.shutdown()
        proxy.server_close()
        get_filesystem_class("s3").clear_instance_cache()
