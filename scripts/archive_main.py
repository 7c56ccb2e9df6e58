"""What the archive runs as `__main__`: unpack once below the cache, then run the program from there.

It takes the place of shiv's bootstrap, which imports for 30 ms and keys its folder by the file's name
(docs/decisions/0003-single-file.md). `files.txt` in the archive lists what is to be unpacked:
`<offset of the packed bytes> <their number> <size> <crc32> <path>`.
Python 3.6 must be able to read this file, for it is what an old `python3` meets first.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

if sys.version_info < (3, 10):  # the header of the same file looks for a better one
    os.environ["SIGNALTTY_PYTHON"] = "?%d.%d.%d" % sys.version_info[:3]
    os.execv("/bin/sh", ["/bin/sh"] + sys.argv)

BUILD = "@BUILD@"
REPAIR = "SIGNALTTY_REPAIR"


def candidates() -> "list[str]":
    """Folders that may hold the unpacked archive, best first."""
    below = []
    cache, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if cache.startswith("/"):
        below.append(cache.rstrip("/") + "/signaltty")
    elif home.startswith("/"):
        below.append(home.rstrip("/") + "/.cache/signaltty")
    below.append("/tmp/signaltty-cache-%d" % os.geteuid())
    return below


def is_private(folder: str) -> bool:
    """Whether nobody else can have put something there: ours, no link and, below /tmp, closed to others."""
    try:
        status = os.lstat(folder)
        if folder.startswith("/tmp/signaltty-cache-"):
            return status.st_mode & 0o170077 == 0o040000 and status.st_uid == os.geteuid()
        return os.stat(folder).st_uid == os.geteuid()
    except OSError:
        return False


def listed() -> "list[tuple[str, int, int, int, int]]":
    """Path, size, checksum, and where its packed bytes stand in the archive."""
    found = []
    data = __loader__.get_data(os.path.join(sys.path[0], "files.txt"))  # type: ignore[name-defined]
    for line in data.decode("utf-8").splitlines():
        at, packed, size, check, name = line.split(" ", 4)
        found.append((name, int(size), int(check), int(at), int(packed)))
    return found


def contents(files: "list[tuple[str, int, int, int, int]]") -> "Iterator[tuple[str, bytes]]":
    """Path and bytes of each. The archive is opened once; its reader in the library would open it for every file."""
    import zlib

    with open(sys.path[0], "rb") as archive:
        whole = archive.read()
    for name, size, check, at, packed in files:
        try:
            data = zlib.decompress(whole[at : at + packed], -15, size)
        except zlib.error:
            data = b""
        if len(data) != size or zlib.crc32(data) != check:
            raise OSError("%s is damaged, or was replaced just now" % sys.path[0])
        yield name, data


def create(path: str, data: bytes) -> None:
    """Half as dear as a file object, four hundred times. Nothing is there yet."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        while data:
            data = data[os.write(fd, data) :]
    finally:
        os.close(fd)


def put(folder: str, name: str, data: bytes) -> None:
    """Write one file, complete or not at all."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    beside = "%s.%d" % (path, os.getpid())
    with open(beside, "wb") as file:
        file.write(data)
    os.replace(beside, path)


def mend(folder: str) -> None:
    """Write again what is missing or cut short, for example after a cleaner of old files."""
    lacking = []
    for entry in listed():
        try:
            if os.stat(os.path.join(folder, entry[0])).st_size == entry[1]:
                continue
        except OSError:
            pass
        lacking.append(entry)
    for name, data in contents(lacking):
        put(folder, name, data)


def unpack(root: str, target: str) -> None:
    """Fill `target` in one rename. Of several first runs one unpacks, the others wait for its lock."""
    import fcntl

    lock = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            half = target + ".half"
        except OSError:  # a file system without locks: each run its own folder, the first rename wins
            half = "%s.half-%d" % (target, os.getpid())
        if os.path.isdir(target):
            return mend(target + "/site-packages")
        if os.path.isdir(half):  # left by a run that was killed
            import shutil

            shutil.rmtree(half)
        made = set()
        for name, data in contents(listed()):
            path = half + "/site-packages/" + name
            folder = path.rpartition("/")[0]
            if folder not in made:
                os.makedirs(folder, exist_ok=True)
                made.add(folder)
            create(path, data)
        try:
            os.rename(half, target)
        except OSError:
            if not os.path.isdir(target):
                raise
    finally:
        os.close(lock)


def is_whole(path: str) -> bool:
    """Whether there is a file with something in it: nothing is synced, so a power cut may leave empty ones."""
    try:
        return os.path.getsize(path) > 0
    except OSError:
        return False


def prepare() -> str:
    """The folder with the unpacked archive, made when it is not there."""
    fault = None
    for root in candidates():
        target = root + "/signaltty_" + BUILD
        boot = target + "/site-packages/signaltty_boot.py"
        try:
            os.makedirs(root, mode=0o700, exist_ok=True)
            if not is_private(root):
                fault = "%s belongs to somebody else" % root
                continue
            if REPAIR in os.environ or not is_whole(boot):
                unpack(root, target)
            return os.path.dirname(boot)
        except OSError as error:
            fault = str(error)
    sys.stderr.write("signaltty: there is no place to unpack the program: %s\n" % fault)
    sys.exit(1)


def run() -> int:
    folder = prepare()
    os.environ.pop(REPAIR, None)
    sys.path[0] = folder
    import signaltty

    return signaltty.main()


if __name__ == "__main__":
    sys.exit(run())
