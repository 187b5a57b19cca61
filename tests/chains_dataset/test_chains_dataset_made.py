"""A whole dataset: verified, split without a shared API, no two alike, byte-equal at any number of workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chains_dataset_samples import service

from toologue.cli.generate import chains, ratio_of
from toologue.errors import BadFile, BadSetting
from toologue.plan.chains.split import SPLITS
from toologue.plan.chains.statistics import statistics
from toologue.project.chain_statistics import ChainStatistics, compared
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import Api, Dialogue, Edge
from toologue.schema.jsonl import read, write
from toologue.verify.chains import verify_chain
from toologue.worlds.documented import Documented
from toologue.write.duplicates import repeats

MAKING = ChainMaking(count=60, seed=3, ratio=(60, 20, 20), most=0.5)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ChainStatistics]]:
    folder = tmp_path_factory.mktemp("chains")
    write(folder / "tools.jsonl", service())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder / "set", make_chains(["tools.jsonl"], Path("set"), MAKING, workers=1)


def dialogues(folder: Path, name: str = "dialogues") -> list[Dialogue]:
    return list(read(folder / f"{name}.jsonl", Dialogue))


class TestDataset:
    def test_every_dialogue_is_valid(self, made: tuple[Path, ChainStatistics]) -> None:
        apis = {api.name: api for api in read(made[0] / "apis.jsonl", Api)}
        for one in dialogues(made[0]):
            seed = one.world.arguments["seed"]
            assert isinstance(seed, int)
            assert verify_chain(one, Documented(apis.values(), seed=seed), apis=apis) == []

    def test_no_api_is_in_two_splits(self, made: tuple[Path, ChainStatistics]) -> None:
        folder, _ = made
        splits = json.loads((folder / "splits.json").read_bytes())
        names = [name for split in SPLITS for name in splits[split]]
        assert sorted(names) == sorted(api.name for api in read(folder / "apis.jsonl", Api))
        for split in SPLITS:
            for one in dialogues(folder, split):
                assert one.origin["split"] == split
                assert set(one.apis) <= set(splits[split])
                assert {str(one.origin["target"]), str(one.origin.get("source", one.origin["target"]))} <= set(one.apis)
                assert _found(one) <= set(one.apis)

    def test_every_split_has_pairs_and_they_are_counted_as_such(self, made: tuple[Path, ChainStatistics]) -> None:
        folder, said = made
        for split in SPLITS:
            assert any("source" in one.origin for one in dialogues(folder, split))
        pairs = {(one.origin["source"], one.origin["target"]) for one in dialogues(folder) if "source" in one.origin}
        alone = {one.origin["target"] for one in dialogues(folder) if "source" not in one.origin}
        assert (said.pairs, said.alone) == (len(pairs), len(alone))

    def test_the_test_split_has_words_of_its_own(self, made: tuple[Path, ChainStatistics]) -> None:
        writers = {(one.origin["split"], one.origin["writer"]) for one in dialogues(made[0])}
        assert writers == {("train", "chains:train"), ("validation", "chains:train"), ("test", "chains:unseen")}

    def test_the_files_agree(self, made: tuple[Path, ChainStatistics]) -> None:
        folder, said = made
        whole = dialogues(folder)
        assert [one for split in SPLITS for one in dialogues(folder, split)] == whole
        assert len({one.id for one in whole}) == len(whole) == said.dialogues == 60
        assert said.splits == {"train": 36, "validation": 12, "test": 12}
        counted = statistics(whole)
        assert (counted.turns, counted.mean, counted.states) == (said.turns, said.turns_per_dialogue, said.states)
        assert counted.actions == said.actions
        assert ChainStatistics.model_validate_json((folder / "statistics.json").read_bytes()) == said

    def test_none_repeats_another(self, made: tuple[Path, ChainStatistics]) -> None:
        texts = ["\n".join(turn.text for turn in one.turns if turn.role == "user") for one in dialogues(made[0])]
        assert set(repeats(texts, threshold=0.9)) == {None}

    def test_edges_and_documents_that_make_no_pair_are_counted(self, made: tuple[Path, ChainStatistics]) -> None:
        folder, said = made
        edges = list(read(folder / "graph.jsonl", Edge, empty=True))
        assert said.edges == len(edges)
        assert said.dropped["documents"]["users do not know it"] >= 1

    def test_the_figures_stand_beside_the_papers(self, made: tuple[Path, ChainStatistics]) -> None:
        rows = {what: (here, paper) for what, here, paper in compared(made[1])}
        assert rows["train"] == ("36", "8,859")
        assert rows["turns per dialogue"][1] == "8.95"


def _found(dialogue: Dialogue) -> set[str]:
    """What the retriever found."""
    found: set[str] = set()
    for turn in dialogue.turns:
        for result in turn.results if turn.role == "agent" else ():
            if turn.action == "retriever_call" and result is not None and isinstance(result.value, dict):
                scores = result.value.get("retrieved", {})
                found |= set(scores) if isinstance(scores, dict) else set()
    return found


class TestSeeds:
    def test_equal_seeds_equal_bytes_at_any_number_of_workers(
        self, made: tuple[Path, ChainStatistics], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path / "tools.jsonl", service())
        monkeypatch.chdir(tmp_path)
        make_chains(["tools.jsonl"], Path("set"), MAKING, workers=2)
        for file in sorted(made[0].iterdir()):
            assert (tmp_path / "set" / file.name).read_bytes() == file.read_bytes(), file.name

    def test_another_seed_other_words(self, made: tuple[Path, ChainStatistics], tmp_path: Path) -> None:
        write(tmp_path / "tools.jsonl", service())
        make_chains([tmp_path / "tools.jsonl"], tmp_path, ChainMaking(count=6, seed=4))
        first = {one.turns[0].text for one in dialogues(made[0])}
        assert {one.turns[0].text for one in dialogues(tmp_path)} - first

    def test_other_documents_in_the_same_place(self, tmp_path: Path) -> None:
        for some in (service()[:4], service()[4:]):
            write(tmp_path / "tools.jsonl", some)
            make_chains([tmp_path / "tools.jsonl"], tmp_path / "set", ChainMaking(count=6, most=1))
            assert {one.origin["target"] for one in dialogues(tmp_path / "set")} <= {api.name for api in some}

    def test_a_graph_of_ones_own(self, made: tuple[Path, ChainStatistics], tmp_path: Path) -> None:
        edges = list(read(made[0] / "graph.jsonl", Edge, empty=True))
        write(tmp_path / "mine.jsonl", edges[:0])
        write(tmp_path / "tools.jsonl", service())
        making = ChainMaking(count=12, seed=3)
        said = make_chains([tmp_path / "tools.jsonl"], tmp_path, making, graph=tmp_path / "mine.jsonl")
        assert said.edges == 0
        assert all("source" not in one.origin for one in dialogues(tmp_path))


class TestCommand:
    def test_it_says_what_was_made(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write(tmp_path / "tools.jsonl", service())
        chains(str(tmp_path / "tools.jsonl"), out=tmp_path / "set", count=10, most=1)
        said = capsys.readouterr().out
        assert "ToolDial" in said
        assert "8.95" in said
        assert "10 conversations about" in said

    def test_too_few_pairs_are_said(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write(tmp_path / "tools.jsonl", service()[:2])
        chains(str(tmp_path / "tools.jsonl"), out=tmp_path / "set", count=100, most=0.01)
        said = capsys.readouterr().out
        assert (
            "100 were wanted, and no more come of these pairs (see above why): give more APIs, or raise --most" in said
        )

    def test_documents_that_cannot_be_read_leave_nothing_behind(self, tmp_path: Path) -> None:
        (tmp_path / "empty.jsonl").write_bytes(b"")
        with pytest.raises(BadFile, match="holds no record"):
            make_chains([tmp_path / "empty.jsonl"], tmp_path / "set", ChainMaking(count=3))
        assert not (tmp_path / "set").exists()

    def test_bad_settings(self, tmp_path: Path) -> None:
        write(tmp_path / "tools.jsonl", [Api(name="Nothing")])
        with pytest.raises(BadSetting, match="name the APIs"):
            chains(out=tmp_path)
        with pytest.raises(BadSetting, match="count 0"):
            make_chains([], tmp_path, ChainMaking(count=0))
        with pytest.raises(BadSetting, match=r"no API and no edge can become a conversation: .* \(1\)"):
            make_chains([tmp_path / "tools.jsonl"], tmp_path / "set", ChainMaking())
        assert ratio_of("80/10/10") == (80, 10, 10)
        with pytest.raises(BadSetting, match="give three numbers, as in 80/10/10"):
            ratio_of("most of it")
