"""minilm for onnxruntime: the same weights as an ONNX graph, since the package of weights brings none.

python -m bench.onnx_encoder DIR        then `minilm:DIR` runs on onnxruntime; needs the packages onnx and tokenizers

The graph is that of `models/bert.py`, written the way exporters write it, so that onnxruntime knows its patterns.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toologue.models.bert import read_safetensors
from toologue.models.minilm import MiniLM

OPSET = 20  # the first with Gelu


class Graph:
    """An ONNX graph under construction: every operation gives the name of its output."""

    def __init__(self, weights: dict[str, np.ndarray]):
        from onnx import helper, numpy_helper

        self.helper, self.tensor = helper, numpy_helper.from_array
        self.weights, self.nodes, self.constants = weights, list[Any](), list[Any]()

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, value: Any, kind: Any = np.float32) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.tensor(np.ascontiguousarray(value, dtype=kind), name))
        return name

    def dense(self, state: str, at: str) -> str:
        product = self.op("MatMul", state, self.constant(self.weights[f"{at}.weight"].T))
        return self.op("Add", product, self.constant(self.weights[f"{at}.bias"]))

    def norm(self, state: str, at: str, epsilon: float) -> str:
        parts = (self.constant(self.weights[f"{at}.LayerNorm.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", state, *parts, axis=-1, epsilon=epsilon)

    def heads(self, state: str, at: str, shape: str) -> str:
        return self.op("Transpose", self.op("Reshape", self.dense(state, at), shape), perm=[0, 2, 1, 3])


def encoder(weights: dict[str, np.ndarray], heads: int, epsilon: float) -> Any:
    """The ONNX model: input_ids and attention_mask, (rows, longest) → hidden states, (rows, longest, width)."""
    graph = Graph(weights)
    words, places = (weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position"))
    width = words.shape[1]
    split, joined = graph.constant([0, 0, heads, width // heads], np.int64), graph.constant([0, 0, width], np.int64)
    size = graph.op("Slice", graph.op("Shape", "input_ids"), *(graph.constant([n], np.int64) for n in (1, 2)))
    places = places + weights["embeddings.token_type_embeddings.weight"][0]
    place = graph.op("Slice", graph.constant(places), graph.constant([0], np.int64), size)
    state = graph.op("Add", graph.op("Gather", graph.constant(words), "input_ids"), place)
    state = graph.norm(state, "embeddings", epsilon)
    mask = graph.op("Unsqueeze", graph.op("Cast", "attention_mask", to=1), graph.constant([1, 2], np.int64))
    hidden = graph.op("Mul", graph.op("Sub", graph.constant(1.0), mask), graph.constant(-1e9))
    for number in range(len({name.split(".")[2] for name in weights if name.startswith("encoder")})):
        at = f"encoder.layer.{number}"
        query, key, value = (graph.heads(state, f"{at}.attention.self.{n}", split) for n in ("query", "key", "value"))
        scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
        scores = graph.op("Add", graph.op("Div", scores, graph.constant(math.sqrt(width // heads))), hidden)
        seen = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
        seen = graph.op("Reshape", graph.op("Transpose", seen, perm=[0, 2, 1, 3]), joined)
        seen = graph.op("Add", graph.dense(seen, f"{at}.attention.output.dense"), state)
        state = graph.norm(seen, f"{at}.attention.output", epsilon)
        wide = graph.op("Gelu", graph.dense(state, f"{at}.intermediate.dense"))
        state = graph.norm(graph.op("Add", graph.dense(wide, f"{at}.output.dense"), state), f"{at}.output", epsilon)
    return _model(graph, state, width)


def _model(graph: Graph, output: str, width: int) -> Any:
    make, integer, real = graph.helper.make_tensor_value_info, 7, 1
    inputs = [make(name, integer, ["rows", "longest"]) for name in ("input_ids", "attention_mask")]
    outputs = [make(output, real, ["rows", "longest", width])]
    made = graph.helper.make_graph(graph.nodes, "encoder", inputs, outputs, graph.constants)
    versions = [graph.helper.make_opsetid("", OPSET)]
    return graph.helper.make_model(made, opset_imports=versions, ir_version=10)


def export(source: MiniLM, folder: Path) -> Path:
    """A directory that `minilm:DIR` can use, with `model.onnx` instead of `model.safetensors`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "config.json"):
        shutil.copy(source.directory / name, folder / name)
    weights = read_safetensors(source.directory / "model.safetensors")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    made = encoder(weights, config["num_attention_heads"], config["layer_norm_eps"])
    (folder / "model.onnx").write_bytes(made.SerializeToString())
    return folder


def main(arguments: Sequence[str]) -> int:
    """Export the package's weights."""
    from toologue.models.embed import embedder

    source = embedder("minilm")
    assert isinstance(source, MiniLM)
    print(export(source, Path(arguments[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
