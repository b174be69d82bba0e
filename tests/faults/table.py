"""The faults of the store and of what leads to it: how each comes, and how it is over again.

The tests cause them one by one, :mod:`tests.faults.soak` at random.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import contextmanager
from enum import Enum, auto
from http import HTTPStatus
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from redis.exceptions import BusyLoadingError, RedisError

from api.store.client import TIMEOUT
from tests.servers import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from random import Random

    from tests.faults.driver import Driver
    from tests.faults.exchanges import Exchange
    from tests.faults.stage import Stage

PROMPT = 4
"""Within so many seconds a request is answered while the store is away: within two, but for what
else this machine does.
"""

MARGIN = 0.5
"""What is asked this close to the edges of a fault may have met with either side of it."""


class Meanwhile(Enum):
    """What is answered while a fault lasts."""

    NOTHING = auto()  # but 503
    READS = auto()  # and 503 to what would write
    PARTS = auto()  # whatever gets through


class Fault(NamedTuple):
    """Something that goes wrong when its context is entered, and is over when it is left."""

    name: str
    cause: Callable[[Stage, Random], AbstractContextManager[None]]
    meanwhile: Meanwhile
    seconds: float = 2
    loses: bool = False
    """Whether the store may lose what it had acknowledged."""
    small_disk: bool = False
    particular: bool = False
    """Whether it is up to the program that serves how it goes."""

    def __str__(self) -> str:
        return self.name


class Suffered(NamedTuple):
    """How a fault went."""

    recovered: float
    """Seconds from its end until every player had a move acknowledged."""
    slowest: float
    """The longest that anybody waited for an answer meanwhile."""
    meanwhile: dict[int, int]
    """How many answers of each status there were; 0 is none."""


def suffer(fault: Fault, stage: Stage, driver: Driver, random: Random) -> Suffered:
    """Have a fault come and go while games are played, and check what is answered meanwhile."""
    driver.play()
    began = time.monotonic()
    with fault.cause(stage, random):
        if fault.meanwhile is not Meanwhile.PARTS:
            began = time.monotonic() + MARGIN
        time.sleep(fault.seconds)
    ended = time.monotonic()
    recovered = driver.recovered(lost=fault.loses)
    driver.play()
    meanwhile = driver.between(began, ended)
    if fault.meanwhile is not Meanwhile.PARTS:
        meanwhile = [exchange for exchange in meanwhile if exchange.ended < ended - MARGIN]
    check_meanwhile(fault.meanwhile, meanwhile)
    statuses: dict[int, int] = {}
    for exchange in meanwhile:
        statuses[exchange.status] = statuses.get(exchange.status, 0) + 1
    slowest = max(exchange.seconds for exchange in meanwhile)
    return Suffered(recovered, slowest, dict(sorted(statuses.items())))


def check_meanwhile(expected: Meanwhile, exchanges: Sequence[Exchange]) -> None:
    """Check what was answered while a fault lasted."""
    lively = [exchange for exchange in exchanges if exchange.path == "/livez"]
    playing = [exchange for exchange in exchanges if exchange.path.startswith("/v1/")]
    assert lively, "nobody asked whether the processes live"
    assert playing, "nobody played"
    if expected is Meanwhile.PARTS:
        return
    for exchange in lively:
        assert exchange.status == HTTPStatus.OK, f"{exchange}"
    for exchange in exchanges:
        assert exchange.seconds < PROMPT, f"{exchange}"
        if exchange.status == HTTPStatus.SERVICE_UNAVAILABLE:
            assert exchange.reply
            assert int(exchange.reply.headers["Retry-After"]) > 0, f"{exchange}"
    for exchange in playing:
        if expected is Meanwhile.NOTHING:
            assert exchange.status == HTTPStatus.SERVICE_UNAVAILABLE, f"{exchange}"
        elif exchange.method == "GET" and not exchange.path.endswith("/score"):
            late = exchange.seconds > TIMEOUT  # the machine was busy elsewhere
            assert exchange.status == HTTPStatus.OK or late, f"{exchange}"
        elif exchange.acknowledged:
            assert exchange.replayed or exchange.method == "GET", f"it was written: {exchange}"
    assert any(exchange.status == HTTPStatus.SERVICE_UNAVAILABLE for exchange in playing)
    assert expected is Meanwhile.NOTHING or any(exchange.acknowledged for exchange in playing)


@contextmanager
def killed(stage: Stage, _random: Random) -> Iterator[None]:
    """Kill the store, and start it again."""
    stage.store.kill()
    yield
    stage.store.start()


@contextmanager
def killed_every_second(stage: Stage, random: Random) -> Iterator[None]:
    """Kill a store that writes down what it has answered once a second."""
    with stage.client as client:
        client.config_set("appendfsync", "everysec")
    time.sleep(0.5 + random.random())
    with killed(stage, random):
        yield


@contextmanager
def killed_and_back(stage: Stage, random: Random) -> Iterator[None]:
    """Kill the store several times in a row, each time for as long as it takes to start."""
    for _ in range(5):
        time.sleep(random.random() / 2)
        stage.store.kill()
        stage.store.start()
    yield


@contextmanager
def frozen(stage: Stage, _random: Random) -> Iterator[None]:
    """Stop the store, and let it go on."""
    stage.store.kill(signal.SIGSTOP)
    try:
        yield
    finally:
        stage.store.kill(signal.SIGCONT)


@contextmanager
def stuttering(stage: Stage, random: Random) -> Iterator[None]:
    """Stop the store again and again, so that it carries out what the API has given up."""
    with _over_and_over(lambda: _pause(stage, random)):
        yield


def _pause(stage: Stage, random: Random) -> None:
    with frozen(stage, random):
        time.sleep(random.uniform(0.1, 1.5))
    time.sleep(random.uniform(0, 0.3))


@contextmanager
def loading(stage: Stage, _random: Random) -> Iterator[None]:
    """Restart the store on an append-only file that takes it seconds to load."""
    stage.store.kill()
    # Quickly written and slowly carried out: every one turns over all the bits of a long string.
    long, count = 400_000, 150_000
    with _append_only_file(stage).open("ab") as file:
        file.write(_command("SETRANGE", "ballast", str(long), "x"))
        file.write(_command("BITOP", "NOT", "ballast", "ballast") * count)
        file.write(_command("DEL", "ballast"))
    stage.store.launch()
    wait_until(lambda: _is_loading(stage))
    yield
    wait_until(stage.store.answers, 60)
    with stage.client as client:
        client.bgrewriteaof()  # the next restart is to be quick again
        wait_until(lambda: _has_rewritten(client.info("persistence")))


@contextmanager
def truncated(stage: Stage, random: Random) -> Iterator[None]:
    """Kill the store, and cut up to a third off its append-only file."""
    stage.store.kill()
    path = _append_only_file(stage)
    os.truncate(path, int(path.stat().st_size * random.uniform(0.7, 0.99)))
    yield
    stage.store.start()


@contextmanager
def full_memory(stage: Stage, _random: Random) -> Iterator[None]:
    """Leave the store no memory for anything new."""
    with stage.client as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", 1)
        try:
            yield
        finally:
            client.config_set("maxmemory", 0)


@contextmanager
def scarce_memory(stage: Stage, random: Random) -> Iterator[None]:
    """Have the store run out of memory again and again, whatever it is in the midst of."""
    with stage.client as client:

        def come_or_go() -> None:
            client.config_set("maxmemory", random.randrange(2))
            time.sleep(random.uniform(0, 0.02))

        try:
            with _over_and_over(come_or_go):
                yield
        finally:
            client.config_set("maxmemory", 0)


@contextmanager
def replica(stage: Stage, _random: Random) -> Iterator[None]:
    """Make the store the replica of a server that is not there, and promote it again."""
    with stage.client as client:
        client.replicaof("127.0.0.1", "1")
        try:
            yield
        finally:
            client.replicaof("NO", "ONE")


@contextmanager
def emptied(stage: Stage, _random: Random) -> Iterator[None]:
    """Take all that lies in the store away, the server's secret too."""
    with stage.client as client:
        client.flushall()
    yield


@contextmanager
def full_of_clients(stage: Stage, _random: Random) -> Iterator[None]:
    """Have the store turn every connection away but the one that says so."""
    with stage.client as client:
        (most,) = client.config_get("maxclients").values()
        client.config_set("maxclients", 1)
        client.client_kill_filter(_type="normal", skipme=True)
        try:
            yield
        finally:
            client.config_set("maxclients", most)


@contextmanager
def full_disk(stage: Stage, _random: Random) -> Iterator[None]:
    """Fill the disk of a store that writes before it answers.

    It ends itself at the next move, and again after a supervisor has started it.
    """
    with _filled(stage.store.directory):
        stage.store.await_end()
        stage.store.launch()
        stage.store.await_end()
        yield
    stage.store.start()


@contextmanager
def full_disk_every_second(stage: Stage, _random: Random) -> Iterator[None]:
    """Fill the disk of a store that writes down once a second; it goes on to be read."""
    with stage.client as client:
        client.config_set("appendfsync", "everysec")
        with _filled(stage.store.directory):
            wait_until(lambda: client.info("persistence")["aof_last_write_status"] == "err")
            yield
        wait_until(lambda: client.info("persistence")["aof_last_write_status"] == "ok")
        client.config_set("appendfsync", "always")


@contextmanager
def cut_from_the_store(stage: Stage, random: Random) -> Iterator[None]:
    """Reset connections between API and store in the midst of commands and replies."""
    before = stage.store_wire.cuts
    with stage.store_wire.cutting(random):
        yield
    assert stage.store_wire.cuts > before


@contextmanager
def cut_from_the_api(stage: Stage, random: Random) -> Iterator[None]:
    """Reset connections between players and API in the midst of requests and answers."""
    before = stage.api_wire.cuts
    with stage.api_wire.cutting(random):
        yield
    assert stage.api_wire.cuts > before


FAULTS = (
    Fault("killed", killed, Meanwhile.NOTHING),
    Fault("killed-everysec", killed_every_second, Meanwhile.NOTHING, loses=True, particular=True),
    Fault("killed-five-times", killed_and_back, Meanwhile.PARTS, seconds=0),
    Fault("frozen-5s", frozen, Meanwhile.NOTHING, seconds=5),
    Fault("frozen-12s", frozen, Meanwhile.NOTHING, seconds=12),
    Fault("away-10s", killed, Meanwhile.NOTHING, seconds=10),
    Fault("stuttering", stuttering, Meanwhile.PARTS, seconds=5),
    Fault("loading", loading, Meanwhile.NOTHING, seconds=1.5),
    Fault("truncated", truncated, Meanwhile.NOTHING, loses=True, particular=True),
    Fault("memory-full", full_memory, Meanwhile.READS),
    Fault("memory-scarce", scarce_memory, Meanwhile.PARTS, seconds=4),
    Fault("emptied", emptied, Meanwhile.PARTS, seconds=1, loses=True),
    Fault("clients-full", full_of_clients, Meanwhile.NOTHING),
    Fault("replica", replica, Meanwhile.READS),
    Fault("disk-full", full_disk, Meanwhile.NOTHING, small_disk=True, particular=True),
    Fault(
        "disk-full-everysec",
        full_disk_every_second,
        Meanwhile.READS,
        small_disk=True,
        particular=True,
    ),
    Fault("store-link-cut", cut_from_the_store, Meanwhile.PARTS, seconds=4),
    Fault("api-link-cut", cut_from_the_api, Meanwhile.PARTS, seconds=4),
)


@contextmanager
def _over_and_over(act: Callable[[], None]) -> Iterator[None]:
    """Do something again and again, beside."""
    enough = Event()

    def go_on() -> None:
        while not enough.is_set():
            act()

    thread = Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


@contextmanager
def _filled(directory: Path) -> Iterator[None]:
    """Leave no space on a disk of its own."""
    ballast = directory / "ballast"
    assert os.path.ismount(directory)
    try:
        with ballast.open("wb", buffering=0) as file:
            while shutil.disk_usage(directory).free:
                file.write(bytes(1 << 20))
    except OSError:
        pass  # no space left: as wanted
    try:
        yield
    finally:
        ballast.unlink()


def _append_only_file(stage: Stage) -> Path:
    """Return the file that the store was writing, the last that its manifest names."""
    directory = stage.store.directory / "appendonlydir"
    (manifest,) = directory.glob("*.manifest")
    return directory / manifest.read_text().splitlines()[-1].split()[1]


def _has_rewritten(persistence: Mapping[str, Any]) -> bool:
    """Whether the append-only file was rewritten since the store was started."""
    return persistence["aof_rewrites"] > 0 and not persistence["aof_rewrite_in_progress"]


def _command(*words: str) -> bytes:
    parts = "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
    return f"*{len(words)}\r\n{parts}".encode()


def _is_loading(stage: Stage) -> bool:
    try:
        with stage.client as client:
            client.ping()
    except BusyLoadingError:
        return True
    except RedisError:
        return False
    return False
