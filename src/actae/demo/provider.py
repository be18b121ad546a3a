"""A payment provider: a process of its own, with its own durable record, that speaks HTTP on the loopback.

    python -m actae.demo.provider --database charges.sqlite3 --keys honoured|ignored

It prints one line, `{"url": …, "pid": …}`, once it listens. It may be killed at any moment: what it
has answered is on disk.

    POST /charges {order_id, amount_cents, currency}   Idempotency-Key: …   -> {charge_id}
    POST /mails   {order_id, body}                                          -> {mail_id}
    GET  /charges?order_id=…                           -> {charges: [id …], asks: [[key, id] …]}
    GET  /charges?key=…                                -> {charge_id} or {charge_id: null}
    GET  /charges/count                                -> {charges, asks, mails}
    GET  /mails?after=…                                -> {mails: [{mail_id, order_id, body} …]}
"""

import argparse
import json
import os
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from actae.demo.cast import Keys
from actae.demo.charge_book import ChargeBook, KeyReusedError
from actae.demo.json_replies import send_json

_MAILS_A_PAGE = 2  # few, so that whoever looks has to turn pages


class Provider(HTTPServer):
    """Answers one request after the other, so no two charges ever race."""

    def __init__(self, book: ChargeBook) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.book = book

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Request(BaseHTTPRequestHandler):
    server: Provider
    timeout = 10  # seconds; a caller that says nothing must not hold up the others

    def do_POST(self) -> None:
        book = self.server.book
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            match self.path:
                case "/charges":
                    charge = book.charge(self.headers["Idempotency-Key"], **body)
                    send_json(self, HTTPStatus.OK, {"charge_id": charge.charge_id})
                case "/mails":
                    send_json(self, HTTPStatus.OK, {"mail_id": book.mail(**body)})
                case _:
                    send_json(self, HTTPStatus.NOT_FOUND, {"error": f"No route POST {self.path}."})
        except KeyReusedError as error:
            send_json(self, HTTPStatus.UNPROCESSABLE_ENTITY, {"error": str(error)})
        except (ValueError, TypeError) as error:
            send_json(self, HTTPStatus.BAD_REQUEST, {"error": str(error)})

    def do_GET(self) -> None:
        book = self.server.book
        asked = urlsplit(self.path)
        match asked.path, {name: values[0] for name, values in parse_qs(asked.query).items()}:
            case "/charges", {"order_id": order_id}:
                send_json(
                    self, HTTPStatus.OK, {"charges": book.charges(order_id), "asks": book.asks(order_id)}
                )
            case "/charges", {"key": key}:
                send_json(self, HTTPStatus.OK, {"charge_id": book.charge_of(key)})
            case "/charges/count", _:
                send_json(self, HTTPStatus.OK, book.counts())
            case "/mails", query:
                page = book.mails(after=query.get("after", ""), most=_MAILS_A_PAGE)
                send_json(self, HTTPStatus.OK, {"mails": page})
            case _:
                send_json(self, HTTPStatus.NOT_FOUND, {"error": f"No route GET {self.path}."})

    def log_message(self, *_: Any) -> None:
        """Silent: the demo tells the story, and the book keeps the record."""


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="actae.demo.provider")
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--keys", type=Keys, choices=list(Keys), required=True)
    options = parser.parse_args()

    book = ChargeBook(options.database, honours_keys=options.keys is Keys.HONOURED)
    provider = Provider(book)
    sys.stdout.write(json.dumps({"url": provider.url, "pid": os.getpid()}) + "\n")
    sys.stdout.flush()
    provider.serve_forever()


if __name__ == "__main__":
    main()
