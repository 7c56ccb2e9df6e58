"""What the archive runs as `__main__`: unpack once below the cache, then run the program from there.

It takes the place of shiv's bootstrap, which imports for 30 ms and keys its folder by the file's name
(docs/decisions/0003-single-file.md). `files.txt` in the archive lists `<size> <path>` of all that is to be unpacked.
Python 3.6 must be able to read this file, for it is what an old `python3` meets first.
"""

import os
import sys

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


def read(name: str) -> bytes:
    data: bytes = __loader__.get_data(os.path.join(sys.path[0], name))  # type: ignore[name-defined]
    return data


def listed() -> "list[tuple[str, int]]":
    lines = read("files.txt").decode("utf-8").splitlines()
    return [(name, int(size)) for size, _, name in (line.partition(" ") for line in lines)]


def put(folder: str, name: str) -> None:
    """Write one file, complete or not at all."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    beside = "%s.%d" % (path, os.getpid())
    with open(beside, "wb") as file:
        file.write(read("site-packages/" + name))
    os.replace(beside, path)


def mend(folder: str) -> None:
    """Write again what is missing or cut short, for example after a cleaner of old files."""
    for name, size in listed():
        try:
            if os.stat(os.path.join(folder, name)).st_size == size:
                continue
        except OSError:
            pass
        put(folder, name)


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
        for name, _ in listed():
            path = os.path.join(half, "site-packages", name)
            folder = os.path.dirname(path)
            if folder not in made:
                os.makedirs(folder, exist_ok=True)
                made.add(folder)
            with open(path, "wb") as file:
                file.write(read("site-packages/" + name))
        try:
            os.rename(half, target)
        except OSError:
            if not os.path.isdir(target):
                raise
    finally:
        os.close(lock)


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
            if REPAIR in os.environ or not os.path.isfile(boot):
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
