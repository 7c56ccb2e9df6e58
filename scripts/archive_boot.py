"""What the archive's header runs when the archive is unpacked: `signaltty_boot.py FILE WORD...`.

A script is compiled at every start, a module only once; so this one is short and imports the rest. Python 3.6 must be
able to read it.
"""

import sys

del sys.argv[0]
if sys.version_info < (3, 10):  # the header of the same file looks for a better one
    import os

    os.environ["SIGNALTTY_PYTHON"] = "?%d.%d.%d" % sys.version_info[:3]
    os.execv("/bin/sh", ["/bin/sh"] + sys.argv)
try:
    if sys.argv[1:3] == ["server", "run"]:  # nothing of the command line is needed, and a server starts in a hurry
        from signaltty_core.server import quickstart

        status = quickstart.run(sys.argv)
    else:
        from signaltty import main

        status = main()
except ImportError:
    import os

    if "SIGNALTTY_REPAIR" in os.environ or not os.path.isfile(sys.argv[0]):
        raise
    os.environ["SIGNALTTY_REPAIR"] = "1"  # a file of the cache is gone or empty: the archive writes it again, then runs
    os.execv(sys.executable, [sys.executable, "-SE"] + sys.argv)
sys.exit(status)
