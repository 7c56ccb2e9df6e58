#!/bin/sh
# Stands before the zip data of dist/signaltty; scripts/build.py fills in the @words@ and drops these comments.
# Every road ends in an exec or an exit, so no shell reads what stands behind this script.

# Which interpreter: the one asked for, python3, or, when a program of ours has found that one too old ("?3.9.6"),
# the newest that runs.
p=${SIGNALTTY_PYTHON:-python3}
case $p in
\?*) v=${p#?} p= ;;
*) command -v "$p" >/dev/null || { p=python3 && command -v $p >/dev/null; } || p= ;;
esac
if [ -z "$p" ]; then
for n in 14 13 12 11 10; do
python3.$n -SEc "" 2>/dev/null && p=python3.$n && break
done
[ "$p" ] || { echo "signaltty: needs Python 3.10 or newer, found ${v:-none}" >&2; exit 1; }
export SIGNALTTY_PYTHON="$p"
fi

# Unpacked already, by us, and not emptied by a power cut: no archive is opened, no bootstrap runs.
case ${XDG_CACHE_HOME-} in
/*) d=$XDG_CACHE_HOME ;;
*) d=${HOME-}/.cache ;;
esac
case $d in
/.cache) d= ;;
/*) d=$d/signaltty/signaltty_@BUILD@/site-packages ;;
*) d= ;;
esac
[ -O "$d/signaltty_boot.py" ] && [ -s "$d/signaltty_boot.py" ] || d=

# The hot words need no unpacking: their source also stands behind this script, before the zip data, from one number of
# bytes on and as long as the other says. `-I` keeps the working directory off the path. Python 3.6 must be able to read
# what stands here.
case ${1-} in
hook-event) set -- @HOOK-EVENT@ "$0" "$@" ;;
notify|report|ipc) set -- @OTHERS@ "$0" "$@" ;;
*)
[ "$d" ] && exec "$p" -SE "$d/signaltty_boot.py" "$0" "$@"
exec "$p" -SE "$0" "$@" ;;
esac
exec "$p" -ISc 'import sys
from posix import _exit, environ, execv
folder, at, size = sys.argv[1:4]
words = sys.argv[4:]
if sys.version_info < (3, 10):
 environ[b"SIGNALTTY_PYTHON"] = b"?%d.%d.%d" % sys.version_info[:3]
 import os
 os.execve("/bin/sh", ["/bin/sh"] + words, environ)
run = [sys.executable, "-SE"]
try:
 if not folder:
  raise ImportError
 sys.path.insert(0, folder)
 from signaltty import hot
 run.append(folder + "/signaltty_boot.py")
except ImportError:
 with open(words[0], "rb") as file:
  file.seek(int(at))
  exec(compile(file.read(int(size)), "signaltty", "exec"))
try:
 status = hot(words[1:])
except ImportError:
 status = None
if status is not None:
 _exit(status)
execv(sys.executable, run + words)
' "$d" "$@"
