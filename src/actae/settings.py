"""Every setting, read once from the environment and shown by `actae settings`."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

DEV_API_KEY = "sk-dev-0000000000000000000000"
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("json", "text", "auto")
_SCHEMES = ("postgresql://", "postgres://")


class SettingsError(ValueError):
    """A setting cannot be used; the sentence names it."""


class SecretUrl(str):
    """A database URL that shows no password when it is printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(self.masked())

    def masked(self) -> str:
        """The URL with its password replaced, in the authority and in the query alike."""
        shown = re.sub(r"(?<=://)([^:/@?]*):[^@/]*@", r"\1:***@", str(self))
        return re.sub(r"(?i)(password=)[^&\s]*", r"\1***", shown)


def _setting(
    default: Any,
    why: str,
    *,
    least: float | None = None,
    most: float | None = None,
    one_of: Sequence[str] | None = None,
) -> Any:
    return field(default=default, metadata={"why": why, "least": least, "most": most, "one_of": one_of})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the server runs with. Each field is set by `ACTAE_<NAME>` or the option of the same name."""

    host: str = _setting("127.0.0.1", "Address to listen on. Dev mode refuses anything but loopback.")
    port: int = _setting(8002, "Port for HTTP; 0 takes a free one.", least=0, most=65535)
    workers: int = _setting(1, "Server processes on this port; all share one database.", least=1)
    dev: bool = _setting(False, "Accept the well-known development key. Loopback only.")
    data_dir: Path = _setting(Path("actae-data"), "Where the embedded PostgreSQL lives.")
    database_url: SecretUrl | None = _setting(
        None, "An existing PostgreSQL 15 or newer instead of the embedded one."
    )
    ready_file: Path | None = _setting(None, "Written as JSON once requests are accepted.")
    lanes: int = _setting(
        1,
        "Writers per process. More keep a huge state from holding up others; they buy no throughput.",
        least=1,
    )
    batch_asks_max: int = _setting(256, "Most writes that share one transaction.", least=1)
    batch_bytes_max: int = _setting(
        8 * 2**20, "Most bytes that share one transaction; one larger write goes alone.", least=1
    )
    queue_asks_max: int = _setting(4096, "Writes that may wait per lane; past it callers get 429.", least=1)
    queue_bytes_max: int = _setting(
        256 * 2**20, "Bytes that may wait per lane; past it callers get 429.", least=1
    )
    batch_one_channel: bool = _setting(
        False, "Cut batches at the channel, for engines that write one shard per statement."
    )
    pool_connections_max: int = _setting(
        10, "Connections for reads and for the less frequent writes, per process.", least=1
    )
    read_timeout_seconds: float = _setting(
        15.0, "Longest a read may run; clients give up after 30 s.", least=0.1, most=86_400
    )
    listen_url: SecretUrl | None = _setting(
        None,
        "PostgreSQL itself, where database_url leads to a pooler of transactions: for writers and hints.",
    )
    stream_poll_seconds: float = _setting(
        1.0,
        "How often followed channels are looked at where no hint came; nobody waits longer.",
        least=0.05,
        most=3600,
    )
    stream_stall_seconds: float = _setting(
        30.0, "How long a reader may take nothing before it is dropped.", least=0.1, most=3600
    )
    stream_access_seconds: float = _setting(
        15.0,
        "How often the credentials of open readers are looked up again, besides at once when one is revoked.",
        least=0.1,
        most=3600,
    )
    stream_connections_max: int = _setting(
        10_000, "WebSockets, event streams and waiting consumers per process.", least=1
    )
    stream_subscriptions_max: int = _setting(1_000, "Channels that one WebSocket may follow.", least=1)
    body_bytes_max: int = _setting(16 * 2**20, "Largest request body.", least=1)
    body_depth_max: int = _setting(
        500, "Deepest nesting of a request body; deeper than 500 the decoder gives up.", least=1, most=500
    )
    wakeup_tick_seconds: float = _setting(
        0.5, "How often each process looks for wake-ups that are due.", least=0.01, most=3_600
    )
    wakeup_lag_seconds: float = _setting(
        1.0,
        "How long a due wake-up stays pending, so that who waits as well may cancel it.",
        least=0,
        most=3_600,
    )
    retention_sweep_seconds: float = _setting(
        600.0,
        "How often channels past their retention policy are removed, by all servers in turn; 0 is never.",
        least=0,
        most=86_400,
    )
    rate_limit_per_second: float = _setting(
        0.0, "Requests per second and key in each process; 0 is no limit.", least=0
    )
    signup_enabled: bool = _setting(False, "Whether anyone may create an account. Dev mode always allows it.")
    metrics_public: bool = _setting(True, "Whether /metrics and /metrics.json answer without a key.")
    log_level: str = _setting("info", "debug, info, warning or error.", one_of=LOG_LEVELS)
    log_format: str = _setting("auto", "json, text, or auto: text on a terminal.", one_of=LOG_FORMATS)

    def __post_init__(self) -> None:
        if self.dev and self.host not in LOOPBACK_HOSTS:
            raise SettingsError(
                f"Dev mode accepts a well-known key, so it listens on loopback only; host is {self.host!r}. "
                "Leave out --dev, or choose 127.0.0.1."
            )
        if self.listen_url is not None and self.database_url is None:
            raise SettingsError(
                "listen_url says where PostgreSQL is behind the pooler that database_url leads to; "
                "set both, or none."
            )
        for each in fields(self):
            value, rules = getattr(self, each.name), each.metadata
            _check_bounds(each.name, value, rules["least"], rules["most"])
            _check_choice(each.name, value, rules["one_of"])
            if isinstance(value, SecretUrl):
                _check_scheme(each.name, value)

    @property
    def signup_allowed(self) -> bool:
        """Whether sign-up is open."""
        return self.signup_enabled or self.dev


def read_settings(environment: Mapping[str, str] = os.environ, **chosen: object) -> Settings:
    """Settings from `ACTAE_*` variables, overruled by what was chosen on the command line.

    A chosen value of None counts as not chosen.

    Raises:
        SettingsError: a value has the wrong form or is out of bounds.
    """
    values: dict[str, object] = {}
    for each in fields(Settings):
        raw = environment.get(f"ACTAE_{each.name.upper()}")
        if raw is not None and raw != "":
            values[each.name] = _parse(each.name, str(each.type), raw)
    values.update({name: value for name, value in chosen.items() if value is not None})
    if isinstance(values.get("database_url"), str):
        values["database_url"] = SecretUrl(values["database_url"])
    return Settings(**values)  # type: ignore[arg-type]


def _check_bounds(name: str, value: float, least: float | None, most: float | None) -> None:
    if least is not None and not least <= value <= (math.inf if most is None else most):  # NaN is nowhere
        bounds = f"be at least {least}" if most is None else f"lie between {least} and {most}"
        raise SettingsError(f"{name} must {bounds}; it is {value}.")


def _check_choice(name: str, value: str, choices: Sequence[str] | None) -> None:
    if choices is not None and value not in choices:
        raise SettingsError(f"{name} must be one of {', '.join(choices)}; it is {value!r}.")


def _check_scheme(name: str, url: SecretUrl) -> None:
    if not url.startswith(_SCHEMES):  # it is not shown: in another form we would not find its password
        raise SettingsError(f"{name} must begin with {' or '.join(_SCHEMES)}.")


def _parse(name: str, kind: object, raw: str) -> object:
    text = str(kind)
    try:
        if "bool" in text:
            return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[
                raw.lower()
            ]
        if "int" in text:
            return int(raw)
        if "float" in text:
            return _finite(float(raw))
    except (KeyError, ValueError):
        wanted = "true or false" if "bool" in text else "a number"
        raise SettingsError(f"ACTAE_{name.upper()} must be {wanted}; it is {raw!r}.") from None
    if "Path" in text:
        return Path(raw).expanduser()
    if "SecretUrl" in text:
        return SecretUrl(raw)
    return raw


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("NaN and infinity measure nothing")
    return number
