"""What the client needs to be installed."""

import subprocess
import sys

# aiohttp and urllib3, and what they bring with them.
ALLOWED = {
    "actae_client",
    "aiohappyeyeballs",
    "aiohttp",
    "aiosignal",
    "attr",
    "attrs",
    "frozenlist",
    "idna",
    "multidict",
    "propcache",
    "typing_extensions",
    "urllib3",
    "yarl",
}

# Used by the two where they happen to be installed.
OPTIONAL = {"aiodns", "brotli", "brotlicffi", "backports", "compression", "h2", "pycares", "zstandard"}

PROGRAM = """
import sys
before = set(sys.modules)
import actae_client
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*(name for name in names - sys.stdlib_module_names if "cython" not in name))
"""


def test_the_client_stands_alone() -> None:
    """It imports neither the server nor any library of it."""
    printed = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert set(printed.stdout.split()) - OPTIONAL <= ALLOWED
