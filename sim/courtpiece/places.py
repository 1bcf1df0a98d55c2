"""Where files lie: a folder of this machine, or an address of fsspec such as s3://bucket/run.

Wherever that is, a file is written whole or not at all, and one process at a time works in a folder.  On this
machine a file is written under a temporary name, flushed to the disk and renamed; elsewhere fsspec's own way
of committing a file is used, which for an object store is one upload that shows when it is complete.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from courtpiece.errors import RunError, UsageError, how_to_install

try:
    import fcntl
except ImportError:                     # not a POSIX system
    fcntl = None                        # type: ignore[assignment]

BEAT = 5.0                              # seconds between two signs of life of who holds a lock that is a file
PATIENCE = 3 * BEAT                     # without one for so long, who held it is taken for dead

_opening = threading.Lock()


def place(address: str | os.PathLike[str]) -> Path:
    """Returns the path of a folder or an address.

    An address is `protocol://…`; its path is universal_pathlib's, which has a Path's methods.  Raises
    UsageError for a protocol that is none or whose package is not there.
    """
    text = os.fspath(address)
    if "\0" in text or not _is_unicode(text):
        raise UsageError(f"{text!r} cannot name a folder: it holds what is no text")
    if "://" not in text:
        # A file of options, too, may say ~; Path's own way fails where there is no such user.
        return address if isinstance(address, Path) else Path(os.path.expanduser(text))     # noqa: PTH111
    try:
        from upath import UPath

        remote = UPath(text)
        local = remote.protocol in ("", "file", "local")
        remote.fs.invalidate_cache()    # the first to ask for the package of the protocol
    except ImportError as error:
        raise UsageError(f"{text} needs a package that is not installed ({error}): "
                         f"{how_to_install('cluster')}, and what fsspec names for the protocol") from None
    except ValueError as error:
        raise UsageError(f"{text} is no address that fsspec knows: {error}") from None
    except Exception as error:          # each store has errors of its own
        raise UsageError(f"{text} cannot be reached: {error or type(error).__name__}") from None
    return Path(remote.path) if local else cast(Path, remote)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:          # bytes that are no UTF-8, as the command line hands them on
        return False
    return True


def is_local(path: Path) -> bool:
    """True for a path of this machine."""
    return isinstance(path, Path)


def _files(path: Any) -> Any:
    """Returns the file system of a remote path, which forgets what it remembers of other writers' files."""
    path.fs.invalidate_cache()
    return path.fs


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns what the operating system or a store refuses into one line that says how to go on."""
    try:
        yield
    except RunError:
        raise
    except OSError as error:
        if isinstance(error, IsADirectoryError):
            file = error.filename2 or error.filename
            raise RunError(f"{file} is a folder, where a file belongs: remove it") from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            line = "the disk is full; make room and run the same command again: what is done is kept"
        else:
            line = f"cannot be written: {error.strerror or error}"
        raise RunError(f"{path}: {line}") from error
    except Exception as error:
        if is_local(path):
            raise
        raise RunError(f"{path} cannot be reached: {error}") from error     # each store has errors of its own


def read_whole(path: Path, most: int | None = None) -> bytes:
    """Returns what a file holds.

    Raises FileNotFoundError, NotADirectoryError, or RunError for all else, and for a file of this machine
    that is longer than `most` bytes.
    """
    try:
        if is_local(path) and not stat.S_ISREG(kind := path.stat().st_mode) and not stat.S_ISDIR(kind):
            raise RunError(f"{path} is no file")        # to read it could take for ever
        if not is_local(path):          # in one request: a file that is written anew is not half the old one
            return bytes(_files(path).cat_file(cast(Any, path).path))
        with path.open("rb") as file:
            content = file.read() if most is None else file.read(most + 1)
        if most is not None and len(content) > most:
            raise RunError(f"{path} is longer than {most:,} bytes, which no such file is")
        return content
    except (FileNotFoundError, NotADirectoryError, RunError):
        raise
    except Exception as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> Exception:
    """Returns what to raise when a file or folder cannot be read; each store has errors of its own."""
    if isinstance(error, OSError):
        return RunError(f"{path} cannot be read: {error.strerror or error}")
    return error if is_local(path) else RunError(f"{path} cannot be reached: {error}")


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that, whatever happens, `path` holds all of the content or what it held before.

    Raises RunError when the operating system or the store refuses.
    """
    with disk_errors(path.parent):
        if is_local(path):
            _write_here(path, content)
            return
        remote: Any = path
        try:
            _commit(remote.fs, remote.path, content)
        except FileNotFoundError:
            _make_folder(remote.fs, remote.fs._parent(remote.path))
            _commit(remote.fs, remote.path, content)


def _commit(files: Any, name: str, content: bytes) -> None:
    with _opening:
        file = files.open(name, "wb", autocommit=False)
        with suppress(ValueError):      # where fsspec would keep it, and what it holds, for ever
            files.transaction.files.remove(file)
    try:
        file.write(content)
        file.close()
        file.commit()
    except BaseException:
        with suppress(Exception):
            file.discard()
        file.closed = True              # or its finalizer tries once more
        raise


def _make_folder(files: Any, name: str) -> None:
    """Makes a folder and those above it, but no bucket, which may be a slip of the pen."""
    if "/" in name.strip("/") and not files.isdir(name):
        _make_folder(files, files._parent(name))
        with suppress(FileExistsError):
            files.mkdir(name, create_parents=False)


def _write_here(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)    # not those above it: a folder that was moved away is not begun anew
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "posix":              # the new name, too, must survive a power cut
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def names_in(folder: Path) -> list[str]:
    """Returns the names of all that lies in a folder, in order; none when there is no such folder."""
    try:
        if is_local(folder):
            return sorted(path.name for path in folder.iterdir())
        listed = _files(folder).ls(cast(Any, folder).path, detail=False)
        return sorted({name.rstrip("/").rpartition("/")[2] for name in listed} - {folder.name, ""})
    except (FileNotFoundError, NotADirectoryError):
        return []
    except Exception as error:
        raise _unreadable(folder, error) from error


def exists(path: Path) -> bool:
    """True when there is such a file."""
    try:
        return path.exists() if is_local(path) else bool(_files(path).exists(cast(Any, path).path))
    except Exception as error:
        raise _unreadable(path, error) from error


def remove(path: Path) -> None:
    """Removes a file, if it is there."""
    with disk_errors(path), suppress(FileNotFoundError):
        path.unlink()


# --- copies on this machine --------------------------------------------------------------------------


class _Mirror:
    """Copies of a remote folder's files, in a folder of this machine that goes when the process ends."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="courtpiece-", ignore_cleanup_errors=True)
        self.known: dict[str, str] = {}     # by name: what the store said of the file when it was copied

    def copies(self, folder: Path, names: Sequence[str]) -> list[Path]:
        here, there = Path(self.folder.name), cast(Any, folder)
        listed: Mapping[str, Mapping[str, Any]] = {
            about["name"].rpartition("/")[2]: about for about in _files(folder).ls(there.path, detail=True)
        }
        missing = [name for name in names if name not in listed]
        if missing:
            raise RunError(f"{folder / missing[0]} is missing")
        stale = [name for name in names if self.known.get(name) != str(listed[name])]
        there.fs.get([listed[name]["name"] for name in stale], [str(here / name) for name in stale])
        self.known |= {name: str(listed[name]) for name in stale}
        return [here / name for name in names]


@cache
def _mirror(folder: str) -> _Mirror:
    return _Mirror()


def local_copies(folder: Path, names: Sequence[str]) -> list[Path]:
    """Returns paths of this machine that hold what some files of a folder hold: themselves, if it is local.

    Copies are made once, all missing ones together, and anew when the store tells of another file.  Raises
    RunError for a file that is not there, and when there is no room for copies.
    """
    if is_local(folder) or not names:
        return [folder / name for name in names]
    try:
        return _mirror(str(folder)).copies(folder, names)
    except RunError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RunError(f"{tempfile.gettempdir()}: the disk is full, where copies of {folder} have to lie "
                           "meanwhile; TMPDIR names another folder for them") from error
        raise _unreadable(folder, error) from error


# --- one process at a time ---------------------------------------------------------------------------


@contextmanager
def held(lock: Path, *, writing: bool) -> Iterator[None]:
    """Keeps other processes from writing in a lock's folder (and from reading while this one writes).

    Where the operating system can lock files it does, and lets go when the process ends, however it ends.
    Elsewhere the lock is a file that its holder writes anew every few seconds; another takes it over when
    nothing happened for `PATIENCE`.  Raises RunError when another process has it.
    """
    if not writing and lock.name not in names_in(lock.parent):
        yield                           # nobody ever wrote here
        return
    if is_local(lock) and writing:
        with disk_errors(lock.parent):
            lock.parent.mkdir(parents=True, exist_ok=True)
    if is_local(lock) and fcntl is not None:
        with disk_errors(lock.parent):
            access = os.O_RDWR | os.O_CREAT if writing else os.O_RDONLY
            file = os.open(lock, access | os.O_NONBLOCK, 0o666)
        try:
            if _flocked(lock, file, writing=writing):
                try:
                    yield
                finally:
                    if writing:         # or who comes next takes this process for the one at work
                        with suppress(OSError):
                            os.ftruncate(file, 0)
                return
        finally:
            os.close(file)
    with _leased(lock, writing=writing):
        yield


def _flocked(lock: Path, file: int, *, writing: bool) -> bool:
    """Has the operating system lock a file; False where it cannot."""
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if writing else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(file, 20).decode(errors="replace").strip()
        raise _in_use(lock, f"process {owner}" if owner else "another process") from None
    except OSError:
        return False                    # as on some network folders
    if writing:
        with disk_errors(lock.parent):
            os.ftruncate(file, 0)
            os.write(file, f"{os.getpid()}\n".encode())
    return True


@contextmanager
def _leased(lock: Path, *, writing: bool) -> Iterator[None]:
    """Holds a lock that is a file: no clocks are compared, only whether the file changes.

    Two who take over at once from a dead holder both look again, and the later writer has it.  A holder that
    slept for longer than PATIENCE, and wakes, works beside who took over: a chunk is the same bits whoever
    writes it, and what is made of all chunks is that of who ends last.
    """
    mine = f"process {os.getpid()} of {socket.gethostname()} ({uuid.uuid4().hex[:8]})"
    _wait_for_sign_of_life(lock)
    if not writing:
        yield
        return
    write_whole(lock, f"{mine}, beat 0\n".encode())
    time.sleep(BEAT / 5)
    _check_mine(lock, mine)
    done = threading.Event()

    def beat() -> None:
        beats = 0
        while not done.wait(BEAT):
            beats += 1
            with suppress(RunError):    # a store that cannot be reached now may be, in a while
                _check_mine(lock, mine)
                write_whole(lock, f"{mine}, beat {beats}\n".encode())

    heart = threading.Thread(target=beat, daemon=True)
    heart.start()
    try:
        yield
    finally:
        done.set()
        heart.join()
        with suppress(RunError):
            _check_mine(lock, mine)
            remove(lock)


def _wait_for_sign_of_life(lock: Path) -> None:
    """Raises RunError when whoever holds a lock that is a file gives a sign of life."""
    found, began = _told(lock), time.monotonic()
    while found and time.monotonic() - began < PATIENCE:
        time.sleep(BEAT / 5)
        now = _told(lock)
        if now and now != found:
            raise _in_use(lock, now.partition(" (")[0])
        found = now


def _check_mine(lock: Path, mine: str) -> None:
    told = _told(lock)
    if not told.startswith(mine):
        raise _in_use(lock, told.partition(" (")[0] or "another process")


def _told(lock: Path) -> str:
    """Returns what a lock that is a file says, "" when there is none."""
    try:
        return read_whole(lock).decode(errors="replace")
    except FileNotFoundError:
        return ""


def _in_use(lock: Path, who: str) -> RunError:
    return RunError(f"{lock.parent} is in use: {who} is at work in it; wait for its end or choose another "
                    "folder")
