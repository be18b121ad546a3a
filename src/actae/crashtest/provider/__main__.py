"""The fake provider speaks HTTP on the loopback.

    python -m actae.crashtest.provider --database effects.sqlite3

It prints one line, `{"url": …}`, once it listens. One process plays every kind of provider, for every run:
which is meant stands in the path, and what comes behind it is the reference.

    POST /KIND/BEHAVIOUR/RUN/REFERENCE   any JSON   Idempotency-Key: …   -> {id, reference}
    GET  /KIND/BEHAVIOUR/RUN/REFERENCE                                   -> {reference, effects: [{id} …]}
    GET  /runs/RUN                                           -> {references: {REFERENCE: {calls, applied}}}
"""

import argparse
import json
import sys
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from actae.crashtest.kinds import Behaviour, Kind
from actae.crashtest.provider.book import Book, FailedError, KeyReusedError, Place
from actae.demo.json_replies import send_json

SLOW_SECONDS = 1.0


class Provider(ThreadingHTTPServer):
    """Answers every request in a thread of its own; the book takes them one after the other."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, book: Book) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.book = book

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Request(BaseHTTPRequestHandler):
    server: Provider
    timeout = 10  # seconds for which a caller may say nothing

    def do_POST(self) -> None:
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "null")
            place = self._place()
            effect_id, is_first = self.server.book.apply(place, self.headers["Idempotency-Key"], body)
        except KeyReusedError as error:
            send_json(self, HTTPStatus.UNPROCESSABLE_ENTITY, {"error": str(error)})
        except FailedError as error:
            send_json(self, HTTPStatus.INTERNAL_SERVER_ERROR, {"error": str(error)})
        except ValueError as error:
            send_json(self, HTTPStatus.BAD_REQUEST, {"error": str(error)})
        else:
            if place.behaviour is Behaviour.DROPS_REPLY and is_first:
                return  # the connection is closed, and the caller knows nothing
            if place.behaviour is Behaviour.SLOW:
                time.sleep(SLOW_SECONDS)
            send_json(self, HTTPStatus.OK, {"id": effect_id, "reference": place.reference})

    def do_GET(self) -> None:
        match urlsplit(self.path).path.split("/"):
            case ["", "runs", run_id]:
                send_json(self, HTTPStatus.OK, {"references": self.server.book.account(run_id)})
                return
        try:
            place = self._place()
        except ValueError as error:
            send_json(self, HTTPStatus.NOT_FOUND, {"error": str(error)})
            return
        if place.kind is not Kind.QUERYABLE:
            send_json(
                self,
                HTTPStatus.METHOD_NOT_ALLOWED,
                {"error": "This provider cannot be asked what it has done."},
            )
            return
        effects = [{"id": effect_id} for effect_id in self.server.book.effects(place)]
        send_json(self, HTTPStatus.OK, {"reference": place.reference, "effects": effects})

    def log_message(self, *_: Any) -> None:
        """Silent: the book keeps the record."""

    def _place(self) -> Place:
        """Raises ValueError for a path that means nothing."""
        path = unquote(urlsplit(self.path).path).split("/", 4)
        match path:
            case ["", kind, behaviour, run_id, reference] if reference:
                return Place(
                    kind=Kind(kind), behaviour=Behaviour(behaviour), run_id=run_id, reference=reference
                )
        raise ValueError(f"No route {self.path}: it is /KIND/BEHAVIOUR/RUN/REFERENCE.")


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="actae.crashtest.provider")
    parser.add_argument("--database", type=Path, required=True)
    provider = Provider(Book(parser.parse_args().database))
    sys.stdout.write(json.dumps({"url": provider.url}) + "\n")
    sys.stdout.flush()
    provider.serve_forever()


if __name__ == "__main__":
    main()
