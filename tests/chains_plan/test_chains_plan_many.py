"""Thousands of plans: the mix, equal bytes at any number of workers, what is dropped and why, and the command."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from chains_plan_samples import APIS, EDGES, TEXT, api, edge, files, listed, shape
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadRecord
from toologue.plan.chains.catalog import Catalog
from toologue.plan.chains.pairs import Pair, edge_pairs, jobs, sample_pairs, single_api_pairs
from toologue.plan.chains.planner import Tally, plan_lines
from toologue.plan.chains.sequences import SEQUENCES, Category
from toologue.schema import Api, Parameter
from toologue.schema.jsonl import write


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return files(tmp_path_factory.mktemp("chains"))


def pairs_of(apis: Path) -> list[Pair]:
    return [*edge_pairs(Catalog(apis), EDGES, Counter()), *single_api_pairs(Catalog(apis), Counter())]


class TestMix:
    def test_a_sequence_that_fell_behind_has_more_turns_until_it_has_caught_up(self) -> None:
        pairs = [Pair(None, None, f"Api {n}", "city", "zeroyes", "knowable") for n in range(40)]
        even = Counter(job.sequence for job, _ in zip(jobs(pairs, cap=50), range(600), strict=False))
        last = min(even)
        come = {name: 10 if name == last else 100 for name in even}
        drawn = Counter(job.sequence for job, _ in zip(jobs(pairs, cap=50, come=come), range(600), strict=False))
        others = [number for name, number in drawn.items() if name != last]
        assert max(even.values()) - min(even.values()) <= 1
        assert drawn[last] > 4 * max(others)
        assert max(others) - min(others) <= 1

    def test_a_pair_that_came_about_less_than_those_of_its_target_comes_next(self) -> None:
        pairs = [Pair(f"S{n}", "id", "T", "id", "yeszero", "single") for n in range(5)]
        made = dict.fromkeys(pairs[1:], 9)
        drawn = Counter(job.pair for job, _ in zip(jobs(pairs, cap=50, made=made), range(20), strict=False))
        assert drawn == {pairs[0]: 20}

    @given(st.integers(1, 40), st.integers(0, 9))
    def test_every_sequence_at_least_1_percent_and_no_pair_over_2(self, each: int, seed: int) -> None:
        categories, fits = get_args(Category), ("single", "multi")
        pairs = [
            Pair(f"S{n}", "id", f"T{n} {c} {f}", "id", c, f) for n in range(each + 8) for c in categories for f in fits
        ]
        pairs += [
            Pair(None, None, f"O{n} {c}", "city", c, "knowable") for n in range(20) for c in ("zeroyes", "zerozero")
        ]
        total = 1000
        drawn = [job for job, _ in zip(jobs(pairs, cap=total // 50, seed=seed), range(total), strict=False)]
        counts = Counter(job.sequence for job in drawn)
        assert set(counts) == {key for key, one in SEQUENCES.items() if not one.published_code_only}
        assert min(counts.values()) >= len(drawn) / 100
        assert max(Counter(job.pair for job in drawn).values()) <= total // 50
        for job in drawn:
            assert job.sequence == "13.1" or job.sequence in {one.key for one in job.pair.sequences()}

    def test_sampling_takes_every_kind_of_pair(self) -> None:
        many = [Pair("S", "id", f"T{n}", "id", "yesyes", "single") for n in range(100)]
        few = [Pair("S", "id", f"U{n}", "id", "zeroyes", "multi") for n in range(3)]
        drawn = sample_pairs([*many, *few], 10)
        assert Counter(pair.category for pair in drawn) == {"yesyes": 7, "zeroyes": 3}
        assert drawn == sample_pairs([*many, *few], 10)
        assert drawn != sample_pairs([*many, *few], 10, seed=1)

    def test_plans_end_where_every_pair_is_used_up(self, here: tuple[Path, Path]) -> None:
        tally = Tally()
        pairs = pairs_of(here[1])
        made = list(plan_lines(here[1], pairs, tally, count=500, most=0.01))
        assert len(made) + tally.dropped.total() == 5 * len(pairs)
        assert max(tally.pairs.values()) <= 5


class TestBytes:
    def test_equal_seeds_equal_bytes_at_any_number_of_workers(self, here: tuple[Path, Path]) -> None:
        def made(seed: int, workers: int) -> tuple[list[bytes], Tally]:
            tally = Tally()
            pairs = pairs_of(here[1])
            return list(plan_lines(here[1], pairs, tally, count=150, most=0.5, seed=seed, workers=workers)), tally

        once = made(5, 1)
        assert made(5, 1) == once == made(5, 2)
        assert made(6, 1)[0] != once[0]
        assert len(once[0]) == once[1].sequences.total() == 150


class TestDropped:
    def reasons(self, folder: Path, apis: list[Api], *edges: object) -> dict[str, int]:
        write(folder / "apis.jsonl", [*APIS, *apis])
        dropped: Counter[str] = Counter()
        kept = list(edge_pairs(Catalog(folder / "apis.jsonl"), edges, dropped))  # type: ignore[arg-type]
        return {**dropped, **({"kept": len(kept)} if kept else {})}

    @pytest.mark.parametrize(
        ("source", "output", "target", "parameter", "reason"),
        [
            ("All Teams", "rows|id", "Standing", "teamId", "kept"),
            ("Gone", "id", "Standing", "teamId", "unknown api"),
            ("All Teams", "rows|nothing", "Standing", "teamId", "unknown entity"),
            ("All Teams", "rows|city", "Weather", "city", "users know it"),
            ("Same Again", "team|id", "Standing", "teamId", "the source takes it"),
            ("Nameless", "rows|id", "Standing", "teamId", "nothing to choose by"),
            ("Some Team", "team|id", "Standing", "teamId", "no sequence"),
            ("Team at Date", "team|id", "Standing", "teamId", "nothing to find it by"),
            ("Team of the Day", "team|id", "Secrets", "apiKey", "asks for a secret"),
            ("Team of the Day", "team|id", "Silent", "teamId", "nothing to answer with"),
            ("Team of the Day", "team|id", "Bulky", "teamId", "cannot be said"),
            ("Team of the Day", "team|id", "Curious", "teamId", "asks for too much"),
            ("Team of the Day", "team|id", "Guarded", "teamId", "asks for a secret"),
            ("Paged", "rows|id", "Standing", "teamId", "kept"),
            ("Team of the Day", "team|id", "Standing", "teamId", "no sequence"),
        ],
    )
    def test_edges_by_reason(
        self, tmp_path: Path, source: str, output: str, target: str, parameter: str, reason: str
    ) -> None:
        more = dict.fromkeys(("city", "date", "country", "title", "language", "keyword"), (TEXT, True))
        number = {"type": "integer"}
        returns = shape(leader=TEXT)
        apis = [
            api("Some Team", shape(team=shape(id=number, name=TEXT))),
            api("Team at Date", shape(team=shape(id=number, name=TEXT)), date=(TEXT, True)),
            api("Silent", {}, teamId=(number, True)),
            api("Bulky", returns, teamId=(number, True), filter=({"type": "object"}, True)),
            api("Curious", returns, teamId=(number, True), **more),
            api("Guarded", returns, teamId=(number, True), apiKey=(TEXT, True)),
            api("Paged", listed(id=number, name=TEXT), page=(number, False)),
        ]
        assert self.reasons(tmp_path, apis, edge(source, output, target, parameter)) == {reason: 1}

    def test_edges_that_were_not_chosen_or_come_again(self, tmp_path: Path) -> None:
        one = edge("All Teams", "rows|id", "Standing", "teamId")
        assert self.reasons(tmp_path, [], one, one, one.replace(chosen=False)) == {
            "kept": 1,
            "again": 1,
            "not chosen": 1,
        }

    def test_edges_that_did_not_pass(self, here: tuple[Path, Path]) -> None:
        shelf = Catalog(here[1])
        keys = [(one.source, one.output, one.target, one.parameter) for one in EDGES]
        dropped: Counter[str] = Counter()
        kept = list(edge_pairs(shelf, EDGES, dropped, verdicts={keys[0]: True, keys[1]: False}))  # type: ignore[arg-type]
        assert len(kept) == 1
        assert dropped == {"not valid": 1, "not checked": 8}

    def test_results_that_hold_nothing_to_hand_over(self, tmp_path: Path) -> None:
        nothing = {"type": "object", "properties": {"team": shape(id={"type": "null"}, name=TEXT)}}
        write(tmp_path / "apis.jsonl", [*APIS, api("Team of Today", nothing)])
        shelf, tally = Catalog(tmp_path / "apis.jsonl"), Tally()
        pairs = list(edge_pairs(shelf, [edge("Team of Today", "team|id", "Standing at Date", "teamId")], Counter()))
        assert list(plan_lines(shelf.file, pairs, tally, count=10, most=0.3)) == []
        assert tally.dropped == {"no value to hand over": 3}


class TestShelf:
    def test_a_name_that_stands_twice(self, tmp_path: Path) -> None:
        write(tmp_path / "apis.jsonl", [APIS[0], APIS[1], APIS[0]])
        with pytest.raises(BadRecord, match=r"apis.jsonl:3: \$\.name: '.*All Teams' is the Api of line 1"):
            Catalog(tmp_path / "apis.jsonl")

    def test_another_kind_of_file(self, tmp_path: Path) -> None:
        write(tmp_path / "apis.jsonl", EDGES)
        with pytest.raises(BadRecord, match="this line is 'edge/1', expected 'api/1'"):
            Catalog(tmp_path / "apis.jsonl")

    def test_documents_that_are_no_apis_yet(self, tmp_path: Path) -> None:
        (tmp_path / "rapid.jsonl").write_text('{"full_name": "Sports|scores|All Teams"}\n')
        with pytest.raises(BadRecord, match=r"rapid.jsonl:1: .* by: toologue apis .*rapid.jsonl -o apis.jsonl"):
            Catalog(tmp_path / "rapid.jsonl")

    def test_documents_without_parameters(self, tmp_path: Path) -> None:
        write(tmp_path / "apis.jsonl", [Api(name="Now"), Api(name="Then", parameters={"id": Parameter()})])
        dropped: Counter[str] = Counter()
        assert list(single_api_pairs(Catalog(tmp_path / "apis.jsonl"), dropped)) == []  # type: ignore[arg-type]
        assert dropped.total() == 2
