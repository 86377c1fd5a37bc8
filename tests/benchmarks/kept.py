"""Results of peers that take minutes, kept in a folder under a digest of all that they depend on."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


def digest(inputs: tuple[object, ...]) -> str:
    """Of arrays by their bytes, of modules, classes and functions by their source, of all else by its text."""
    found = hashlib.sha256()
    for thing in inputs:
        if isinstance(thing, np.ndarray):
            found.update(repr((thing.shape, thing.dtype.str)).encode() + thing.tobytes())
        elif inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isfunction(thing):
            found.update(inspect.getsource(thing).encode())
        else:
            found.update(repr(thing).encode() + b"\0")
    return found.hexdigest()[:16]


@dataclass
class Kept:
    """A folder of results, a file each."""

    folder: Path
    taken: list[str] = field(default_factory=list)  # dates of the results that were not computed anew

    def result(self, name: str, inputs: tuple[object, ...], compute: Callable[[], dict]) -> dict:
        file = self.folder / f"{re.sub('[^a-z0-9.]+', '_', name.lower())}.{digest(inputs)}.json"
        if file.exists():
            found = json.loads(file.read_text())
            self.taken.append(found["made"])
            return found
        found = compute() | {"made": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps(found))
        unfinished.rename(file)
        return found
