"""Started by the host with the number of a socket and the id of its own process: serves until either is gone.

Not covered: being imported; this file is run.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    here = __file__.rpartition("/toologue/")[0]
    sys.path.insert(0, here)
    from toologue.sandbox.jail import clock

    clock.install()
    from toologue.sandbox.jail.run import serve

    sys.path.remove(here)
    serve(int(sys.argv[1]), int(sys.argv[2]))
