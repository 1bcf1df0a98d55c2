"""Pages printed to PDF by a Chromium of this machine, which shapes every script."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from courtpiece.errors import UsageError
from courtpiece.places import write_whole

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 120                         # seconds


def browser() -> str:
    """Returns the path of a Chromium; raises UsageError when there is none."""
    for name in _BROWSERS:
        if found := shutil.which(name):
            return found
    raise UsageError("a PDF needs Chromium or Google Chrome, and none is on the PATH: install one, such as "
                     "Debian's package chromium, or print the page from any browser")


def print_page(page: Path, out: Path) -> None:
    """Prints a page without network to a file, which is complete or not there; raises UsageError."""
    chromium = browser()
    with TemporaryDirectory(prefix="courtpiece-", ignore_cleanup_errors=True) as folder:
        printed = Path(folder) / "page.pdf"
        command = [
            chromium, "--headless", "--disable-gpu", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder}/profile", "--no-pdf-header-footer", f"--print-to-pdf={printed}",
            page.resolve().as_uri(),
        ]
        if os.geteuid() == 0:           # Chromium's sandbox refuses to run as root
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
            said = done.stderr.decode(errors="replace").strip().splitlines()
        except subprocess.TimeoutExpired:
            said = [f"not done after {_PATIENCE} s"]
        content = printed.read_bytes() if printed.exists() else b""
    if not (content.startswith(b"%PDF") and content.rstrip().endswith(b"%%EOF")):
        raise UsageError(f"{chromium} did not print {page}: {said[-1] if said else 'it made no file'}")
    write_whole(out, content)
