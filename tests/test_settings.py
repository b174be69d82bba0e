"""The settings: what they take, and how a mistake in them is told."""

from pathlib import Path

import pytest

from api.settings import Settings, SettingsError, from_environment, load, table


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, _default, _meaning in table():
        monkeypatch.delenv(name, raising=False)


def test_nothing_set_gives_the_defaults() -> None:
    assert from_environment() == Settings()
    assert (Settings().host, Settings().port, Settings().redis_url) == ("127.0.0.1", 8000, None)


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, _default, _meaning in table():
        monkeypatch.setenv(name, "")
    assert from_environment() == Settings()


def test_a_secret_of_digits_stays_what_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOUNDREL_SECRET", "0" * 40)
    assert from_environment().secret == b"0" * 40


def test_a_secret_may_be_any_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOUNDREL_SECRET", "\udcff" * 32)
    assert from_environment().secret == b"\xff" * 32


def test_every_mistake_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOUNDREL_PORT", "http")
    monkeypatch.setenv("SCOUNDREL_SECRET", "short")
    monkeypatch.setenv("SCOUNDREL_REDIS_URL", "localhost:6379")
    with pytest.raises(SettingsError) as refusal:
        from_environment()
    for name in ("SCOUNDREL_PORT", "SCOUNDREL_SECRET", "SCOUNDREL_REDIS_URL"):
        assert name in str(refusal.value)


def test_a_refusal_does_not_repeat_a_secret() -> None:
    with pytest.raises(SettingsError) as refusal:
        load({"SECRET": "hunter2", "REDIS_URL": "http://:hunter2@localhost"})
    assert "hunter2" not in str(refusal.value)


def test_a_variable_that_is_no_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOUNDREL_PROT", "8000")
    with pytest.raises(SettingsError, match="SCOUNDREL_PROT"):
        from_environment()


@pytest.mark.parametrize("port", ["-1", "65536", "8000.0", "0x10", " 80", "٨٠", "1e3", "80\n"])
def test_a_port_is_a_number_that_can_be_one(port: str) -> None:
    with pytest.raises(SettingsError, match="SCOUNDREL_PORT must be a whole number"):
        load({"PORT": port})


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "10.0.0.1", "localhost", "a-b.example"])
def test_a_host_is_a_name_or_an_address(host: str) -> None:
    assert load({"HOST": host}).host == host


@pytest.mark.parametrize("host", ["http://x", "a b", "[::1]", "-\n"])
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(SettingsError, match="SCOUNDREL_HOST"):
        load({"HOST": host})


@pytest.mark.parametrize("scheme", ["redis", "rediss", "unix", "redis+cluster", "rediss+cluster"])
def test_a_store_is_named_by_its_url(scheme: str) -> None:
    assert load({"REDIS_URL": f"{scheme}://somewhere"}).redis_url == f"{scheme}://somewhere"


@pytest.mark.parametrize(
    "url",
    ["http://x", "redis", "redis://", "REDIS://x", "memory://"],
)
def test_what_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="SCOUNDREL_REDIS_URL must be a URL"):
        load({"REDIS_URL": url})


def test_the_games_are_not_kept_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(SettingsError, match="SCOUNDREL_DATA must name a directory"):
        load({"DATA": str(file)})


def test_the_data_directory_may_be_relative_or_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/rogue")
    assert load({"DATA": "games"}).data == tmp_path / "games"
    assert load({"DATA": "~/games"}).data == Path("/home/rogue/games")


def test_a_home_that_cannot_be_found_is_no_mistake() -> None:
    assert load({"DATA": "~nobody-of-that-name/games"}).data.name == "games"


@pytest.mark.parametrize(
    ("text", "amount", "seconds"),
    [
        ("60/minute", 60, 60),
        ("20/30 seconds", 20, 30),
        ("5 per 2 hours", 5, 7200),
        ("1/day", 1, 86400),
    ],
)
def test_a_limit_on_new_games_is_a_number_and_a_time(text: str, amount: int, seconds: int) -> None:
    limit = load({"CREATE_LIMIT": text}).create_limit
    assert limit is not None
    assert (limit.amount, limit.get_expiry()) == (amount, seconds)


def test_an_empty_limit_on_new_games_is_none() -> None:
    assert load({"CREATE_LIMIT": ""}).create_limit is None
    assert load({}).create_limit is None


@pytest.mark.parametrize(
    "text",
    [
        *("60", "minute", "60/fortnight", "-1/minute"),  # of no such form
        *("0/minute", "10000/minute", "2 days", "1/2 days"),  # too few, too many, too long
        "1/second; 5/minute",  # two of them
    ],
)
def test_what_is_no_limit_on_new_games_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="SCOUNDREL_CREATE_LIMIT must be a number from 1 to"):
        load({"CREATE_LIMIT": text})


def test_the_table_tells_every_setting_with_its_default_and_meaning() -> None:
    rows = {name: (default, meaning) for name, default, meaning in table()}
    assert rows["SCOUNDREL_PORT"][0] == "8000"
    assert all(meaning for _default, meaning in rows.values())
    assert len(rows) == len(Settings.__dataclass_fields__)


@pytest.mark.parametrize(
    "url", ["redis://h:abc/0", "redis://h:0/0", "redis://h:1/x", "redis+cluster://h,g:x"]
)
def test_a_store_with_an_unusable_port_or_database_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="SCOUNDREL_REDIS_URL must name a"):
        load({"REDIS_URL": url})


@pytest.mark.parametrize(
    "url", ["redis://u:p%40ss@[::1]:6379/1?x=/y", "rediss://h/", "redis+cluster://u:p@h:1,g/"]
)
def test_a_store_may_be_named_in_full(url: str) -> None:
    assert load({"REDIS_URL": url}).redis_url == url
