"""Uses of Apis and of pairs, by what they are about; those of other documents are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from toologue.errors import BadFile
from toologue.schema import Api
from toologue.schema.jsonl import read
from toologue.schema.use import Use, UseKey, documents_key


class Uses(Mapping[UseKey, Use]):
    """Some uses, each by what it is about; `file` is where others find them."""

    def __init__(self, uses: Iterable[Use] = (), *, file: Path | None = None):
        self.file, self._uses = file, {one.about: one for one in uses}

    def __getitem__(self, key: UseKey) -> Use:
        return self._uses[key]

    def __iter__(self) -> Iterator[UseKey]:
        return iter(self._uses)

    def __len__(self) -> int:
        return len(self._uses)

    def of(self, api: str) -> Use | None:
        """What is said of an Api alone."""
        return self._uses.get((None, None, api, None))


NO_USES = Uses()


def read_uses(file: Path, apis: Mapping[str, Api]) -> Uses:
    """The uses in a file that are about these Apis. Raises BadFile for such that were made from other documents."""
    every = read(file, Use, empty=True)
    known = [one for one in every if one.api in apis and (one.source is None or one.source in apis)]
    stale = [one for one in known if one.of != key_of(one.about, apis)]
    if stale:
        told = f"{len(stale)} of {len(known)} uses in {file} are of other documents, for one that of {stale[0].api!r}"
        raise BadFile(f"{told}: run `toologue apis enrich` on these again; it asks for nothing else")
    return Uses(known)


def key_of(about: UseKey, apis: Mapping[str, Api]) -> str:
    """The key of the documents that a use is about."""
    source, _, api, _ = about
    return documents_key(*([apis[source]] if source else []), apis[api])
