"""`courtpiece lab`: the notebooks in JupyterLab."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from courtpiece.cli.output import say
from courtpiece.errors import UsageError, how_to_install

FIRST = "00-start.ipynb"


def lab(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where notebooks/ and results/ lie, or are put.")
    ] = Path(),
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser, or only print the address.")
    ] = True,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port to serve on; by default a free one.")
    ] = None,
) -> None:
    """Open JupyterLab on the notebooks and a results folder.

    Notebooks that are not in the folder yet are copied into it; those that are there stay as they are.
    """
    if find_spec("jupyterlab") is None:
        raise UsageError(f"courtpiece lab needs JupyterLab: {how_to_install('lab')}")
    for path in prepare(folder.expanduser()):
        say(path)
    trust(folder.expanduser())
    sys.stdout.flush()
    command = [sys.executable, *arguments(folder.expanduser(), browser=browser, port=port)]
    os.execv(sys.executable, command)       # JupyterLab has Ctrl-C to itself


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(lab)


def prepare(folder: Path) -> list[Path]:
    """Makes the folders and copies the notebooks that are missing; returns the paths of the copies."""
    copied = []
    try:
        for name in ("notebooks", "results"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for notebook in sorted(_notebooks().glob("*.ipynb")):
            copy = folder / "notebooks" / notebook.name
            if not copy.exists():
                shutil.copyfile(notebook, copy)
                copied.append(copy)
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be written: {(error.strerror or '').lower()}") from None
    return copied


def trust(folder: Path) -> None:
    """Tells Jupyter that the notebooks as they were made are ours, so that it shows their pictures."""
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()                   # type: ignore[no-untyped-call]
    for notebook in sorted(_notebooks().glob("*.ipynb")):
        copy = folder / "notebooks" / notebook.name
        if copy.read_bytes() == notebook.read_bytes():
            notary.sign(nbformat.read(copy, as_version=4))      # type: ignore[no-untyped-call]
    notary.store.close()


def _notebooks() -> Path:
    """Returns where the notebooks lie: in the package, or beside its source."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "notebooks"
    return installed if installed.is_dir() else package.parents[1] / "notebooks"


def arguments(folder: Path, *, browser: bool, port: int | None) -> list[str]:
    """Returns what Python is to run."""
    given = [
        "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}",
        f"--LabApp.default_url=/lab/tree/notebooks/{FIRST}",
    ]
    if not browser:
        given.append("--no-browser")
    if port is not None:
        given += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if os.geteuid() == 0:                   # in a container, where Jupyter would refuse to start
        given.append("--allow-root")
    return given
