"""A BERT encoder in numpy: weights from a safetensors file read by hand, one forward pass, no framework.

`read_safetensors` checks the file before it trusts it (sizes, offsets, types) and maps tensors instead of loading them.
What stands behind the end of a row is not attended to. float32 throughout, within 1e-6 of the published implementation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from toologue.errors import BadFile, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


_TYPES = {"F32": np.float32, "F16": np.float16}
_SKIPPED = {"I64", "I32"}  # position ids, which are 0, 1, 2, …
_LONGEST_HEADER = 16 * 1024 * 1024
_BLOCK = 32  # rows that go through GELU together: they stay in the processor's cache
# A matrix (inputs, outputs), or a factor, and what is added.
_Pair = tuple["Floats", "Floats"]


def read_safetensors(file: Path) -> dict[str, Floats]:
    """The float tensors of a safetensors file by name, as float32; those of type F32 are mapped, not loaded."""
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if size < 8 or length > min(size - 8, _LONGEST_HEADER):
                raise BadFile(f"{file} is not a safetensors file: its header would have {length} of {size} bytes")
            header = json.loads(stream.read(length))
    except (OSError, ValueError, RecursionError) as error:
        raise BadFile(f"{file} is not a safetensors file: {error}") from None
    if not isinstance(header, dict):
        raise BadFile(f"{file} is not a safetensors file: its header is no object")
    entries = cast("dict[str, Any]", header)
    return {
        name: _tensor(file, name, entry, 8 + length, size)
        for name, entry in entries.items()
        if name != "__metadata__" and not (isinstance(entry, dict) and cast("Any", entry).get("dtype") in _SKIPPED)
    }


def _tensor(file: Path, name: str, entry: Any, start: int, end: int) -> Floats:
    try:
        kind, shape = _TYPES[entry["dtype"]], tuple(int(n) for n in entry["shape"])
        first, last = (int(offset) for offset in entry["data_offsets"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadFile(f"{file}: the tensor {shown(name)} is {shown(entry)}: {error!r}") from None
    wanted = math.prod(shape) * np.dtype(kind).itemsize
    if min((*shape, first), default=0) < 0 or last - first != wanted or start + last > end:
        raise BadFile(f"{file}: the tensor {shown(name)} of shape {shape} does not fit bytes {first} to {last}")
    if not wanted:
        return np.zeros(shape, dtype=np.float32)
    mapped = np.memmap(file, dtype=kind, mode="r", offset=start + first, shape=shape)
    return np.asarray(mapped, dtype=np.float32)


class _Layer(NamedTuple):
    mix: _Pair
    out: _Pair
    first_norm: _Pair
    widen: _Pair
    narrow: _Pair
    second_norm: _Pair


class Bert:
    """The encoder. `weights` by their usual names, with or without the prefix `bert.`."""

    def __init__(self, weights: Mapping[str, Floats], *, heads: int, epsilon: float = 1e-12):
        named = {name.removeprefix("bert."): tensor for name, tensor in weights.items()}
        try:
            self._words = named["embeddings.word_embeddings.weight"]
            self._places = named["embeddings.position_embeddings.weight"]
            self._segment = named["embeddings.token_type_embeddings.weight"][0]
            self._norm = _pair(named, "embeddings.LayerNorm")
            count = len({name.split(".")[2] for name in named if name.startswith("encoder.layer.")})
            self._layers = [_layer(named, f"encoder.layer.{number}.") for number in range(count)]
        except KeyError as missing:
            raise BadFile(f"these are not the weights of a BERT encoder: there is no {missing.args[0]!r}") from None
        self.vocabulary, self.width = self._words.shape
        if heads < 1 or self.width % heads:
            raise BadFile(f"a width of {self.width} cannot be split into {heads} heads")
        self.longest = len(self._places)
        self._heads, self._epsilon = heads, np.float32(epsilon)

    def encode(self, rows: Sequence[Sequence[int]]) -> Floats:
        """(rows, longest row, width): the hidden states of token ids. No row may be empty."""
        lengths = [len(row) for row in rows]
        ids = np.zeros((len(rows), max(lengths)), dtype=np.int64)
        hidden_from = np.zeros(ids.shape, dtype=np.float32)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            hidden_from[index, len(row) :] = -1e9
        state: Floats = self._words[ids]
        state += self._places[: ids.shape[1]]
        state += self._segment
        state = _normalised(state.reshape(-1, self.width), self._norm, self._epsilon)
        for layer in self._layers:
            seen = self._attend(state, layer, hidden_from[:, None, None, :])
            seen += state
            state = _normalised(seen, layer.first_norm, self._epsilon)
            wide = state @ layer.widen[0]
            _gelu(wide, layer.widen[1])
            narrow = _affine(wide, layer.narrow)
            narrow += state
            state = _normalised(narrow, layer.second_norm, self._epsilon)
        return state.reshape(*ids.shape, self.width)

    def _attend(self, state: Floats, layer: _Layer, hidden_from: Floats) -> Floats:
        batch, _, _, length = hidden_from.shape
        mixed = _affine(state, layer.mix).reshape(batch, length, 3, self._heads, -1)
        queries, keys, values = mixed.transpose(2, 0, 3, 1, 4)
        weights = np.matmul(queries, keys.transpose(0, 1, 3, 2))
        weights *= np.float32(1 / math.sqrt(queries.shape[-1]))
        weights += hidden_from
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        return _affine(np.matmul(weights, values).transpose(0, 2, 1, 3).reshape(-1, self.width), layer.out)


def _layer(named: Mapping[str, Floats], at: str) -> _Layer:
    mixed = [_pair(named, f"{at}attention.self.{part}") for part in ("query", "key", "value")]
    parts = [_pair(named, f"{at}{part}.dense") for part in ("attention.output", "intermediate", "output")]
    out, widen, narrow = ((weight.T, bias) for weight, bias in parts)
    return _Layer(
        mix=(np.concatenate([weight for weight, _ in mixed]).T, np.concatenate([bias for _, bias in mixed])),
        out=out,
        first_norm=_pair(named, f"{at}attention.output.LayerNorm"),
        widen=widen,
        narrow=narrow,
        second_norm=_pair(named, f"{at}output.LayerNorm"),
    )


def _pair(named: Mapping[str, Floats], at: str) -> _Pair:
    return named[f"{at}.weight"], named[f"{at}.bias"]


def _affine(rows: Floats, pair: _Pair) -> Floats:
    made = rows @ pair[0]
    made += pair[1]
    return made


def _normalised(rows: Floats, norm: _Pair, epsilon: np.float32) -> Floats:
    rows -= rows.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[-1])
    rows /= np.sqrt(variance + epsilon)[:, None]
    rows *= norm[0]
    rows += norm[1]
    return rows


def _gelu(rows: Floats, bias: Floats) -> None:
    """Replace rows by x · Φ(x), x being rows + bias; erf after Abramowitz and Stegun 7.1.26, within 1.5e-7."""
    for start in range(0, len(rows), _BLOCK):
        x = rows[start : start + _BLOCK]
        x += bias
        z = np.abs(x)
        z *= np.float32(math.sqrt(0.5))
        t = z * np.float32(0.3275911)
        t += np.float32(1)
        np.reciprocal(t, out=t)
        tail = t * np.float32(1.061405429)
        for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            tail += np.float32(coefficient)
            tail *= t
        np.square(z, out=z)
        np.negative(z, out=z)
        np.exp(z, out=z)
        tail *= z  # 1 - erf(|x| / √2), which is twice what Φ lacks of 1 at |x|
        tail *= np.float32(0.5)
        upper = np.maximum(x, 0)
        np.abs(x, out=x)
        x *= tail
        np.subtract(upper, x, out=x)
