"""The `$ref`s of a document: which can be followed, what leads to one that cannot; those to other files, bundled.

A schema may hold itself in a property or an item (a tree does); it may not be itself, or be made of itself by `allOf`,
`anyOf`, `oneOf` or `not`, nor may a reference stand for more than 10,000 schemas at once: no value can ever be checked
against that. What stands in examples is data. Each part is looked at once.

    >>> pair = {"properties": {"left": {"$ref": "#/$defs/Leaf"}}}
    >>> References({"$defs": {"Pair": pair, "Leave": {}}}).bad({"$ref": "#/$defs/Pair"}, ("it",))
    (('$defs', 'Pair', 'properties', 'left', '$ref'), "'#/$defs/Leaf' leads nowhere", 'did you mean #/$defs/Leave')
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from toologue import limits
from toologue.data import VALUES, Place, Source, read_text, text_of
from toologue.errors import BadFile, UserError, shown
from toologue.values.json_schema import list_of, object_of, pointed, resolved

# Keys whose values are data (nothing in them is a schema), and keys whose values map names to schemas.
DATA = ("example", "examples", "default", "enum", "const")
NAMED = (
    "properties", "patternProperties", "dependentSchemas", "schemas", "responses", "definitions", "$defs", "x-bundled",
)  # fmt: skip
_MOST, _LONGEST = 10_000, 100
_CIRCLE = "leads in a circle", "write out what it stands for"
_HEAVY = f"stands for more than {_MOST:,} schemas at once", "write it shorter"

# Where a `$ref` stands, what is wrong with it, what to do.
Bad = tuple[Place, str, str]
# A part of a document, its place, whether its keys are names of schemas.
_Part = tuple[Any, tuple[str | int, ...], bool]
KEY = "x-bundled"
# What holds things by their names, and is never a reference itself.
_MAPS = ("content", "properties", "responses", "paths", "schemas", "components", "patternProperties", "headers")
_DATA_FILES = (".json", ".yaml", ".yml")
_CHAIN = 20

Steps = tuple[str | int, ...]


class References:
    """The references of a document. `lost` says of those that were given up before: what is wrong, and the remedy."""

    def __init__(self, root: Any, lost: Mapping[str, tuple[str, str]] | None = None):
        self._root, self._lost = root, lost or {}
        self._weights: dict[str, float] = {}
        self._wrong: dict[str, tuple[str, str] | None] = {}
        self._tainted: dict[str, Bad] = {}

    def bad(self, value: Any, place: Place, unread: Iterable[str] = ()) -> Bad | None:
        """The first reference in a part of the document that cannot be followed, or the one that it leads to.

        `unread`: keys of the part that do not matter.
        """
        for at, target in references(value, tuple(place), unread):
            self._explore(target)
            if wrong := self._wrong[target]:
                return at, f"{shown(target)} {wrong[0]}", wrong[1]
            if target in self._tainted:
                return self._tainted[target]
        return None

    def _explore(self, start: str) -> None:
        """Find out all that a reference leads to, and what of it is wrong."""
        back: dict[str, list[tuple[str, Place]]] = {}
        found, todo = deque[str](), [start]
        while todo:
            if (target := todo.pop()) in self._wrong:
                continue
            wrong = self._wrong[target] = self._look(target)
            if wrong is not None:
                found.append(target)
                continue
            steps = tuple(target[1:].replace("~1", "\0").split("/")[1:])
            place = tuple(step.replace("\0", "/").replace("~0", "~") for step in steps)
            for at, inner in references(pointed(self._root, target[1:]), place):
                back.setdefault(inner, []).append((target, at))
                known = self._wrong.get(inner) is not None or inner in self._tainted
                (found if known else todo).append(inner)
        while found:
            inner = found.popleft()
            for outer, at in back.pop(inner, ()):
                if outer not in self._tainted:
                    wrong = self._wrong[inner]
                    told = None if wrong is None else (at, f"{shown(inner)} {wrong[0]}", wrong[1])
                    self._tainted[outer] = told or self._tainted[inner]
                    found.append(outer)

    def _look(self, target: str) -> tuple[str, str] | None:
        """What is wrong with a reference alone: (what, remedy)."""
        if target in self._lost:
            return self._lost[target]
        if not target.startswith("#"):
            return "is in another document", "save it beside this one, as a file"
        if resolved({"$ref": target}, self._root) is None:
            outer, _, last = target.rpartition("/")
            holder = resolved({"$ref": outer}, self._root) or {}
            if last not in holder:
                names = [name for name in holder if len(name) < _LONGEST][:1000]
                near = get_close_matches(last[:_LONGEST], names, n=1, cutoff=0.5)
                return "leads nowhere", f"did you mean {outer}/{near[0]}" if near else ""
            return None if isinstance(holder[last], bool) else _CIRCLE  # true and false are schemas, too
        weight = self._weight(target, (), 0)
        return None if weight <= _MOST else _CIRCLE if weight == inf else _HEAVY

    def _weight(self, target: str, inside: tuple[str, ...], deep: int) -> float:
        """How many schemas a reference stands for at once; infinitely many in a circle. `inside`: what led here."""
        if target in inside:
            return inf
        if target not in self._weights:
            whole = resolved({"$ref": target}, self._root)
            self._weights[target] = self._total(whole, (*inside, target), deep)
        return self._weights[target]

    def _total(self, schema: Any, inside: tuple[str, ...], deep: int) -> float:
        rule = object_of(schema)
        if deep > _LONGEST:
            return _MOST + 1
        if isinstance(rule.get("$ref"), str):
            return self._weight(rule["$ref"], inside, deep + 1)
        parts = [part for key in ("allOf", "anyOf", "oneOf") for part in list_of(rule.get(key))]
        return 1 + sum(self._total(part, inside, deep + 1) for part in (*parts, rule.get("not", {})) if part)


def _unread(key: str) -> bool:
    """Whether a key holds data, or an extension, which only those read who know it."""
    return key in DATA or (key.startswith("x-") and key not in NAMED)


def references(value: Any, place: tuple[str | int, ...], unread: Iterable[str] = ()) -> Iterator[tuple[Place, str]]:
    """(place, target) of every `$ref` in a part of a document, in its order; of none in an example or an extension."""
    todo: list[_Part] = [(value, place, False)]
    skipped = frozenset(unread)
    while todo:
        part, here, named = todo.pop()
        inner: list[_Part] = [(item, (*here, index), False) for index, item in enumerate(list_of(part))]
        for key, member in object_of(part).items():
            inside: Any = member
            if key == "$ref" and isinstance(member, str):
                yield (*here, key), member
            elif isinstance(member, dict | list) and key not in skipped and (named or not _unread(key)):
                inner.append((inside, (*here, key), key in NAMED and not named))
        todo += inner[::-1]
        skipped = frozenset[str]()


@dataclass(frozen=True)
class Bundled(Source):
    """A document of several files. `lost`: what is wrong with references that were given up, and the remedy."""

    files: tuple[Path, ...] = ()
    lost: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    origins: Mapping[str, tuple[Source, Steps]] = field(default_factory=dict[str, tuple[Source, Steps]])
    begin: Source | None = None

    def origin(self, place: Place) -> tuple[Source, Place]:
        """The file in which a place of the document stands, and where there."""
        source, node = self.begin or Source(self.file, None, self.text), self.data
        at, steps = list[str | int](), list[str | int](place)
        if steps[:1] == [KEY] and str(steps[1:2][0] if steps[1:] else "") in self.origins:
            source, inner = self.origins[str(steps[1])]
            at, node, steps = [*inner], self.data[KEY][steps[1]], steps[2:]
        for step in steps:
            for _ in range(_CHAIN if step != "$ref" else 0):
                name = str(object_of(node).get("$ref")).removeprefix(f"#/{KEY}/")
                if name not in self.origins:
                    break
                source, inner = self.origins[name]
                at, node = [*inner], self.data[KEY][name]
            at.append(step)
            listed = list_of(node)
            node = listed[step] if isinstance(step, int) and step < len(listed) else object_of(node).get(str(step))
        return source.origin(at)


def bundled(source: Source) -> Bundled:
    """The document that a source begins: what a `$ref` names in another file is put under `x-bundled`.

    Files are taken from the document's own folder and those in it, each read once; nothing is taken from outside of it,
    by way of links neither, and nothing is fetched. What cannot be had stays a `$ref` that is `lost`, and costs whoever
    needs it. A reference to a plain value or a list, and one where OpenAPI knows none (`content`, `properties`), is
    written out.
    """
    return _Bundler(source).document()


class _Bundler:
    def __init__(self, source: Source):
        file = Path(source.file)
        self._begin, self._home = source, file.resolve() if source.text and file.is_file() else None
        self._here = self._home or Path()
        self._sources = {self._here: source}
        self._bytes, self._values = len(source.text), 0
        self._names = dict[tuple[Path, str], str]()
        self._numbers = Counter[str]()
        self._todo = deque[tuple[str, Path, Any]]()
        self._written = dict[tuple[Path, str], tuple[Any, int]]()
        self._open = set[tuple[Path, str]]()
        self._lost = dict[str, tuple[str, str]]()
        self._origins = dict[str, tuple[Source, Steps]]()

    def document(self) -> Bundled:
        begin = self._begin
        whole = self._part(begin.data, self._here)
        kept = dict[str, Any]()
        while self._todo:
            name, file, target = self._todo.popleft()
            kept[name] = self._part(target, file)
        if kept:
            whole = {**whole, KEY: kept}
        files = tuple(file for file in self._sources if file.is_file())
        return Bundled(begin.file, whole, begin.text, files, self._lost, self._origins, begin)

    def _part(self, value: Any, file: Path, key: str = "", *, named: bool = False) -> Any:
        """A value without references out of its file. `key`: where it stands; `named`: its keys are names."""
        self._grow(1)
        if isinstance(value, list):
            return [self._part(item, file) for item in list_of(value)]
        if not isinstance(value, dict):
            return value
        rules = object_of(value)
        if isinstance(rules.get("$ref"), str):
            return self._reference(rules, file, key)
        return {
            name: part
            if name in DATA and not named and not (name == "enum" and isinstance(part, dict))
            else self._part(part, file, "" if named else name, named=name in NAMED and not named)
            for name, part in rules.items()
        }

    def _reference(self, rules: dict[str, Any], here: Path, key: str) -> Any:
        said: str = rules["$ref"]
        url, _, pointer = said.partition("#")
        pointer = unquote(pointer)
        file, wrong = self._file(unquote(url), here) if url else (here, None)
        rest = {name: self._part(part, here) for name, part in rules.items() if name != "$ref"}
        target = pointed(self._sources[file].data, pointer) if file is not None else None
        at_home = file == self._here
        if file is None or (target is None and not at_home):
            self._lost[said] = wrong or ("leads nowhere", f"look into {self._sources[file or here].file}")
            return {**rest, "$ref": said if url else self._elsewhere(here, said)}
        if not isinstance(target, dict | bool | None) or (key in _MAPS and isinstance(target, dict)):
            return self._written_out((file, pointer), target, said, key)
        if at_home:
            return {**rest, "$ref": f"#{pointer}"}
        return {**rest, "$ref": f"#/{KEY}/{self._named(file, pointer, target)}"}

    def _elsewhere(self, here: Path, said: str) -> str:
        """A reference inside another file, told apart from those of the document."""
        made = f"{self._sources[here].file}{said}"
        self._lost[made] = self._lost.pop(said)
        return made

    def _named(self, file: Path, pointer: str, target: Any) -> str:
        known = self._names.get((file, pointer))
        if known is not None:
            return known
        stem = re.sub(r"\W+", "_", pointer.rpartition("/")[2] or file.stem)
        self._numbers[stem] += 1
        name = self._names[file, pointer] = f"{stem}.{self._numbers[stem]}" if self._numbers[stem] > 1 else stem
        steps = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
        self._origins[name] = self._sources[file], tuple(steps)
        self._todo.append((name, file, target))
        return name

    def _written_out(self, what: tuple[Path, str], target: Any, said: str, key: str) -> Any:
        if what not in self._written:
            if what in self._open or len(self._open) > _CHAIN:
                self._lost[said] = "leads in a circle", "write out what it stands for"
                return {"$ref": said}
            self._open.add(what)
            before = self._values
            made = self._part(target, what[0], key, named=key in NAMED)
            self._written[what] = made, self._values - before
            self._open.discard(what)
            return made
        made, size = self._written[what]
        self._grow(size)
        return made

    def _grow(self, size: int) -> None:
        self._values += size
        if self._values > VALUES:
            raise BadFile(f"{self._begin.file}: more than {VALUES:,} values, those of other files included")

    def _file(self, url: str, here: Path) -> tuple[Path | None, tuple[str, str] | None]:
        """(the file that a reference names, None), or (None, what is wrong with it)."""
        if re.match(r"[A-Za-z][\w+.-]*:|//", url):
            return None, ("is on the net, and nothing is fetched", "save it beside the document")
        if self._home is None:
            return None, ("is in another document", "read the document from its file, with the other one beside it")
        try:
            file = (here.parent / url).resolve()
            if not file.is_relative_to(self._home.parent):
                return None, ("is outside of the document's folder", f"put it into {self._home.parent}")
            if file not in self._sources:
                if not file.is_file():
                    raise BadFile(f"there is no file {file}")
                text = text_of(file, limits.DOCUMENT - self._bytes)
                self._bytes += len(text)
                folder = Path(self._begin.file).parent
                name = str(folder / file.relative_to(self._here.parent))
                self._sources[file] = read_text(text, name) if file.suffix in _DATA_FILES else Source(name, text)
        except (OSError, ValueError, UserError) as error:
            return None, (f"cannot be read: {limits.cut(str(error), 200)}", "")
        return file, None
