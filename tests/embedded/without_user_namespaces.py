"""Runs a program as root where the kernel grants no user namespace, as in most containers.

    python without_user_namespaces.py COMMAND ...

Root of a user namespace of its own, with all the users of the machine in it, may forbid further ones there
and nowhere else. So the refusal is the kernel's.
"""

import ctypes
import os
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000
EVERYBODY = "0 0 65536\n"


def main() -> None:
    namespaced, mapped = os.pipe(), os.pipe()
    outside = os.getpid()
    if os.fork() == 0:  # this half stays outside, where it may say who is who inside
        os.read(namespaced[0], 1)
        for id_map in ("uid_map", "gid_map"):
            Path(f"/proc/{outside}/{id_map}").write_text(EVERYBODY)
        os.write(mapped[1], b".")
        os._exit(0)
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER) != 0:
        sys.exit("this test needs one user namespace itself")
    os.write(namespaced[1], b".")
    os.read(mapped[0], 1)
    os.wait()
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
