"""Started by the host with the number of a socket and the id of its own process: serves until either is gone.

Where the kernel allows it, addresses are the same in every run, and so is what Python makes of them: `id`, some hashes,
and the order of some sets.

Not covered: being imported; this file is run.
"""

from __future__ import annotations

import ctypes
import os
import sys

_AS_IT_IS, _SAME_ADDRESSES = 0xFFFFFFFF, 0x0040000


def _same_addresses() -> None:
    """Start again without chance in addresses; where that is refused, go on."""
    libc = ctypes.CDLL(None)
    held = libc.personality(_AS_IT_IS)
    if held < 0 or held & _SAME_ADDRESSES:
        return
    libc.personality(held | _SAME_ADDRESSES)
    if libc.personality(_AS_IT_IS) & _SAME_ADDRESSES:
        os.execv(sys.executable, sys.orig_argv)


if __name__ == "__main__":
    _same_addresses()
    here = __file__.rpartition("/toologue/")[0]
    sys.path.insert(0, here)
    from toologue.sandbox.jail import clock

    clock.install()
    from toologue.sandbox.jail.run import serve

    sys.path.remove(here)
    serve(int(sys.argv[1]), int(sys.argv[2]))
