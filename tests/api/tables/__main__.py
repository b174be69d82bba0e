"""Draw all scenes and rewrite the files that the tests compare with."""

from __future__ import annotations

from tests.api.tables import HERE, SCENES, file_of
from tests.servers import StoreServer, serving, valkey_binary


def rewrite() -> None:
    """Write one file per scene, and delete the files of removed scenes."""
    for old in HERE.glob("*.txt"):
        old.unlink()
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start(), workers=1) as api:
            for name, scene in SCENES.items():
                file_of(name).write_text(scene.draw(api), encoding="utf-8")
    finally:
        store.close()


if __name__ == "__main__":
    rewrite()
