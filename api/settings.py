"""What can be configured: one frozen dataclass, filled from ``SCOUNDREL_*`` variables.

Flask's own mechanism reads the variables, as strings, so that a numeric secret stays one. The
README's table of settings is :func:`table`, compared in a test.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from click import ClickException
from flask import Config
from limits import RateLimitItem, parse_many

PREFIX = "SCOUNDREL"

STORE_SCHEMES = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")
MIN_SECRET_BYTES = 32
MAX_CREATIONS = 9999
DAY = 24 * 60 * 60


class SettingsError(ClickException, ValueError):
    """One or more settings are unusable; the message names each and says what would do."""


def _store_url(text: str) -> str:
    scheme, separator, rest = text.partition("://")
    if not separator or scheme not in STORE_SCHEMES or not rest:
        schemes = ", ".join(f"{scheme}://" for scheme in STORE_SCHEMES)
        raise ValueError(f"must be a URL that begins with one of {schemes}")
    if scheme == "unix":
        return text
    hosts, slash, database = rest.partition("?")[0].rpartition("@")[2].partition("/")
    if slash and not re.fullmatch(r"[0-9]*", database):
        raise ValueError("must name a database by its number, as in redis://host:6379/0")
    for host in hosts.split(",") if "+" in scheme else [hosts]:
        if not _has_sound_port(host):
            raise ValueError("must name a port from 1 to 65535, as in redis://host:6379/0")
    return text


def _has_sound_port(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").port != 0
    except ValueError:
        return False


def _secret(text: str) -> bytes:
    secret = os.fsencode(text)  # the environment's own bytes, whatever they are
    if len(secret) < MIN_SECRET_BYTES:
        raise ValueError(f"must be at least {MIN_SECRET_BYTES} bytes long")
    return secret


def _integer(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(text)

    return parse


def _create_limit(text: str) -> RateLimitItem:
    try:
        (limit,) = parse_many(text)
    except ValueError:  # of another form, or more than one
        limit = None
    if limit is None or not (1 <= limit.amount <= MAX_CREATIONS and 1 <= limit.get_expiry() <= DAY):
        raise ValueError(
            f"must be a number from 1 to {MAX_CREATIONS} and a time of a day at most, as in "
            "60/minute or 20/30 seconds"
        )
    return type(limit)(limit.amount, limit.multiples, "create")


def _directory(text: str) -> Path:
    # os.path, because pathlib raises where there is no home or a parent is not ours to read.
    path = Path(os.path.expanduser(text)).absolute()  # noqa: PTH111  # see above
    if os.path.lexists(path) and not os.path.isdir(path):  # noqa: PTH112  # see above
        raise ValueError("must name a directory, or nothing yet")
    return path


def _host(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.:_-]+", text):
        raise ValueError("must be a host name or an IP address")
    return text


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return text

    return parse


def _setting(parse: Callable[[str], Any], default: str | None, meaning: str) -> Any:  # noqa: ANN401  # as dataclasses.field: the field's own annotation is the type
    value = None if default is None else parse(default)
    return field(default=value, metadata={"parse": parse, "default": default, "meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting, checked. A field's name in capitals after ``SCOUNDREL_`` is the variable."""

    redis_url: str | None = _setting(
        _store_url,
        None,
        "The store: `redis://host:6379/0`, `rediss://…` (TLS), `unix:///path/to.sock`, or a "
        "Cluster by some of its nodes, `redis+cluster://host1:7000,host2:7001`. Without it "
        "`make run` starts an embedded Valkey.",
    )
    data: Path = _setting(  # noqa: RUF009  # gives a dataclasses.field
        _directory,
        "~/.local/share/scoundrel",
        "Where the embedded store keeps the games. One server at a time owns the directory.",
    )
    secret: bytes | None = _setting(
        _secret,
        None,
        "At least 32 bytes that nobody else knows. Without it one is made and kept in the store.",
    )
    keep_lost_days: int = _setting(
        _integer(0, 36500),
        "365",
        "How many days a lost ranked game is kept; 0 keeps it for ever. Won ones always are.",
    )
    create_limit: RateLimitItem | None = _setting(  # noqa: RUF009  # gives a dataclasses.field
        _create_limit,
        None,
        "How many games one address may create: `60/minute`, `20/30 seconds`. Of IPv6 a /64 is one "
        "address. Empty for no limit.",
    )
    wait_replicas: int = _setting(
        _integer(0, 9),
        "0",
        "How many replicas of the store must have a finished game before its last move is "
        "acknowledged. 0 waits for none.",
    )
    host: str = _setting(
        _host, "127.0.0.1", "The address to listen on; `0.0.0.0` to serve other machines."
    )
    port: int = _setting(
        _integer(0, 65535), "8000", "The TCP port to listen on; 0 takes a free one."
    )
    log: str = _setting(
        _one_of("plain", "json"),
        "plain",
        "`plain` tells of trouble alone, as text. `json` writes a JSON object a line, one for "
        "every request.",
    )
    proxy_hops: int = _setting(
        _integer(0, 9),
        "0",
        "How many proxies stand in front of the server and set `X-Forwarded-For`, `-Proto`, "
        "`-Host` and `-Prefix`. 0 trusts none of these.",
    )


def load(config: Mapping[str, Any]) -> Settings:
    """Check ``config`` (names without prefix, values as strings) and return the settings.

    Raises SettingsError that names every unusable setting at once. An empty value counts as unset.
    """
    known = {f.name.upper(): f for f in fields(Settings)}
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, setting in known.items():
        text = config.get(name)
        if text in (None, ""):
            continue
        try:
            values[setting.name] = setting.metadata["parse"](str(text))
        except ValueError as error:
            wrong.append(f"{PREFIX}_{name} {error}")
    if wrong:
        raise SettingsError("; ".join(wrong))
    return Settings(**values)


def from_environment() -> Settings:
    """Read the settings from the process's environment.

    Raises SettingsError also for a ``SCOUNDREL_*`` variable that is no setting, which is most
    likely a misspelt one.
    """
    config = Config(Path.cwd())
    config.from_prefixed_env(PREFIX, loads=str)
    known = {f.name.upper() for f in fields(Settings)}
    if unknown := sorted(set(config) - known):
        names = ", ".join(f"{PREFIX}_{name}" for name in unknown)
        raise SettingsError(f"{names} is no setting; the README lists them all")
    return load(config)


def table() -> Iterator[tuple[str, str, str]]:
    """Yield (variable, default, meaning) of every setting, for the documentation."""
    for setting in fields(Settings):
        default = setting.metadata["default"]
        yield f"{PREFIX}_{setting.name.upper()}", default or "", setting.metadata["meaning"]
