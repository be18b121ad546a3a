"""A small authority for one test, made with the openssl program."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_certificates(folder: Path) -> Path:
    """Fill the folder with `ca.crt`, and key and certificate of `server` (127.0.0.1) and `client`."""
    _openssl(
        folder, "req", "-x509", *_new_key("ca"), "-days", "2", "-out", "ca.crt", "-subj", "/CN=test authority"
    )
    for name in ("server", "client"):
        _openssl(folder, "req", *_new_key(name), "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
        signed = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
        _openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.crt", *signed)
    return folder


def _new_key(name: str) -> tuple[str, ...]:
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key")


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
