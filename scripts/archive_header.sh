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

# Unpacked already, and by us: no archive is opened, no bootstrap runs.
case ${XDG_CACHE_HOME-} in
/*) c=$XDG_CACHE_HOME ;;
*) c=${HOME-}/.cache ;;
esac
b=$c/signaltty/signaltty_@BUILD@/site-packages/signaltty_boot.py
case $b in
/.cache/*) ;;
/*) [ -O "$b" ] && exec "$p" -SE "$b" "$0" "$@" ;;
esac

# The hot words need no unpacking: their source stands behind this script, before the zip data. Python 3.6 must be able
# to read what stands here.
h='import sys
if sys.version_info < (3, 10):
 import os
 os.environ["SIGNALTTY_PYTHON"] = "?%d.%d.%d" % sys.version_info[:3]
 os.execv("/bin/sh", ["/bin/sh"] + sys.argv[3:])
with open(sys.argv[3], "rb") as file:
 file.seek(int(sys.argv[1]))
 exec(compile(file.read(int(sys.argv[2])), "signaltty", "exec"))
status = hot(sys.argv[4:])
if status is not None:
 posix._exit(status)
posix.execv(sys.executable, [sys.executable, "-SE"] + sys.argv[3:])
'
case ${1-} in
hook-event) exec "$p" -SEc "$h" @HOOK-EVENT@ "$0" "$@" ;;
notify|report|ipc) exec "$p" -SEc "$h" @OTHERS@ "$0" "$@" ;;
esac
exec "$p" -SE "$0" "$@"
