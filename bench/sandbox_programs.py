"""Programs made by chance, for the sandbox: honest ones, as people write them, and hostile or odd ones.

`honest(seed, count)` and `hostile(seed, count)` give the same programs for the same seed, made of what stands in
sandbox_programs.yaml. They see a world `shelf` of texts by name: `read(name)`, `write(name, text)`, `TakeDown(name)`;
what is not there is `NotThere`.

Not covered: programs over a real service: those of dialog2api are compared in the tests.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import yaml

_OF: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
_PART = re.compile(r"(?P<indent>(?:(?<=\n)|^) *|)\$(?P<name>[a-z]+)", re.MULTILINE)
_TABLES = {"talk": "talk", "fail": "fails", "kind": "kinds", "handle": "handles"}
_SHORT = ("log.append(n)", "n += 2", "log.append(str(n))")
# How often something is repeated.
_TIMES = (3, 90, 400, 3000, 20_000, 100_000)


def honest(seed: int, count: int) -> list[str]:
    """So many programs that mean no harm; many of them fail."""
    chance = random.Random(seed)
    return [_honest(chance) for _ in range(count)]


def _honest(chance: random.Random) -> str:
    lines = [
        _filled(chance, chance.choice(_OF["lines"]), chance.choice((1, 2)))
        for _ in range(chance.choice((1, 1, 2, 3, 5)))
    ]
    return "\n".join((_OF["head"], *lines, _filled(chance, chance.choice(_OF["last"]), 1)))


def _filled(chance: random.Random, text: str, depth: int) -> str:
    """A text with parts in its places, which are deeper by one; at the end short ones."""

    def part(found: re.Match[str]) -> str:
        indent, name = found["indent"], found["name"]
        if name == "v":
            return indent + chance.choice(("x", "y", "n", "z", "w", "log", "held"))
        if name == "body":
            table = _OF["lines"] if depth > 0 else _SHORT
        elif name in _TABLES:
            table = _OF[_TABLES[name]]
        else:
            table = _OF["parts"][chance.choice("ifsbltdr") if name in ("any", "x") else name]
            table = table if depth > 0 else table[:3]
        return indent + _filled(chance, chance.choice(table), depth - 1).replace("\n", "\n" + indent)

    return _PART.sub(part, text)


def hostile(seed: int, count: int) -> list[str]:
    """So many programs that are deep, wide, odd, greedy or forged, or honest ones with wounds: each once, then anew."""
    chance = random.Random(seed)
    kinds = _OF["hostile"]
    whole = [*kinds["odd"], *kinds["greedy"], *kinds["forged"]]
    repeated = [
        before + part * times + after for before, part, after in kinds["deep"] + kinds["wide"] for times in _TIMES
    ]
    chance.shuffle(repeated)
    wounded = (_wounded(chance, _honest(chance)) for _ in iter(int, 1))
    made = (
        [*whole, *repeated][:count]
        if count >= len(whole)
        else chance.sample(whole, count // 2) + repeated[: count // 2]
    )
    return made + [next(wounded) for _ in range(count - len(made))]


def _wounded(chance: random.Random, code: str) -> str:
    for _ in range(chance.randint(1, 4)):
        at, end = sorted(chance.choices(range(len(code)), k=2))
        put = chance.choice(
            ("", "(", "'", '"""', "\\", "\n", " " * 7, "\0", "{", "?1", "\ud800", ":", "*", "lambda", "é")
        )
        code = code[:at] + put + code[min(end, at + chance.randint(0, 9)) :]
    return code
