"""The command line that all load programs share."""

from __future__ import annotations

import argparse


def load_options(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--callers", type=int, default=64, help="how many wait for an answer at the same time"
    )
    parser.add_argument("--channels", type=int, default=64, help="how many channels they share")
    parser.add_argument("--channel-prefix", default="bench")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of the window that counts")
    parser.add_argument("--warm-up", type=float, default=0.5, help="seconds of load before the window opens")
    return parser


def add_server_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--url", action="append", required=True, help="of a server; several share the callers"
    )
    parser.add_argument("--api-key", required=True)
