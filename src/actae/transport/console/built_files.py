"""The files of the console as a browser gets them. All are read and compressed once, and kept."""

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

INDEX: Final = "index.html"

_TYPES: Final = {
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "svg": b"image/svg+xml",
    "woff2": b"font/woff2",
}
_COMPRESSED_ALREADY: Final = frozenset({"woff2"})


class BuiltFile(NamedTuple):
    """One file in both forms, each with its own tag; without the second where that is no smaller."""

    content: bytes
    content_type: bytes
    etag: bytes
    compressed: bytes | None
    compressed_etag: bytes


@cache
def built_files() -> Mapping[str, BuiltFile]:
    """Every file by its path below the console's root; none where the console was not built."""
    root = files("actae.transport.console").joinpath("static")
    return dict(_read(root, "")) if root.is_dir() else {}


def _read(directory: Traversable, prefix: str) -> Iterator[tuple[str, BuiltFile]]:
    for entry in directory.iterdir():
        kind = entry.name.rpartition(".")[2]
        if entry.is_dir():
            yield from _read(entry, f"{prefix}{entry.name}/")
        elif kind in _TYPES:
            yield prefix + entry.name, _prepare(entry.read_bytes(), kind)


def _prepare(content: bytes, kind: str) -> BuiltFile:
    digest = hashlib.sha256(content).hexdigest()[:32].encode()
    compressed = None if kind in _COMPRESSED_ALREADY else gzip.compress(content, mtime=0)
    if compressed is not None and len(compressed) >= len(content):
        compressed = None
    return BuiltFile(content, _TYPES[kind], b'"%b"' % digest, compressed, b'"%b-gzip"' % digest)
