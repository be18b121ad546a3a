"""The last step before a PostgreSQL program: become unprivileged, ask to die with the parent, exec.

Runs alone, as `python -I -S launcher.py SIGNAL PARENT_PID IDENTITY PROGRAM [ARGUMENT ...]`, and imports only
the standard library. It is a program, not a `preexec_fn`, because the child of a threaded process may do
nothing between fork and exec that could wait for a lock.

IDENTITY is `self`, `user-namespace` or `UID:GID`.
"""

import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
CANNOT_EXECUTE = 126  # what a shell answers in the same situation

libc = ctypes.CDLL(None, use_errno=True)


def become(identity: str) -> None:
    """Give up root for good. PostgreSQL only asks whether its effective user id is 0.

    In a user namespace without a mapping we are the overflow user (65534, "nobody") in our own eyes and still
    root in the eyes of the file system, but without one capability.
    """
    if identity == "self":
        return
    if identity == "user-namespace":
        check(libc.unshare(CLONE_NEWUSER), "a user namespace was refused")
        return
    uid, gid = map(int, identity.split(":"))
    os.setgroups([gid])
    os.setgid(gid)
    os.setuid(uid)


def die_with_parent(signal_number: int, parent_pid: int) -> None:
    """Must come after `become`: the kernel forgets the wish when credentials change."""
    check(libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "PR_SET_PDEATHSIG was refused")
    if os.getppid() != parent_pid:  # it died before we could ask
        sys.exit(f"the parent {parent_pid} has already ended")


def check(result: int, refusal: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), refusal)


def main() -> None:
    signal_number, parent_pid, identity, *command = sys.argv[1:]
    try:
        become(identity)
        die_with_parent(int(signal_number), int(parent_pid))
        os.execv(command[0], command)  # noqa: S606 - no shell is the point
    except OSError as refused:
        print(f"cannot run {command[0]} as {identity}: {refused}", file=sys.stderr)  # noqa: T201 - it is a program
        sys.exit(CANNOT_EXECUTE)


if __name__ == "__main__":
    main()
