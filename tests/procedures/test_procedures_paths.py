"""Paths: the published sampler, plain random walks, covers of few walks, and what they see."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from procedure_strategies import procedures

from toologue import keys
from toologue.errors import BadSetting
from toologue.formats.flow import read_flow_text
from toologue.plan.procedures import procedure
from toologue.plan.procedures.paths import cover, coverage, missing_lines, pairs_of, possible, vanilla, weighted
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.course import State, Steering
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Graph, Procedure, Walk

SAMPLERS = [vanilla, weighted]
GRAPH = read_flow_text("""
[N0](start_message){Greet}
[E0](N0, N1){My parcel is late}
[N1](message){Ask for the number}
[E1](N1, N2){Gives it}
[E2](N1, N6){Has none}
[N2](api){get_parcel}
[E3](N2, N3){Unknown}
[N3](message){Ask again}
[E4](N3, N2){Gives another}
[E5](N2, N4){On its way}
[E6](N2, N5){Lost}
[N4](end_message){Say when}
[N5](message){Money or parcel?}
[E7](N5, N6){Money}
[E8](N5, N4){Parcel}
[N6](end_message){Bye}
""")


def is_walk(graph: Graph, walk: Walk) -> bool:
    """Whether a walk goes from the root to a leaf by links that were open when it took them."""
    steering = Steering(graph)
    state = steering.start
    for node, id in zip(walk.nodes, walk.links, strict=False):
        link = graph.by_link[id]
        assert node == state.node == link.source
        assert link in steering.exits(state)
        state = steering.after(state, link)
    return state.node == walk.nodes[-1] and not graph.exits(state.node)


class TestSamplers:
    @pytest.mark.parametrize("sampler", SAMPLERS)
    def test_walks_lead_from_the_start_to_an_end(self, sampler: Callable[..., Iterator[Walk]]) -> None:
        walks = list(sampler(GRAPH, 50))
        assert len(walks) == 50
        assert all(is_walk(GRAPH, walk) for walk in walks)

    @pytest.mark.parametrize("sampler", SAMPLERS)
    def test_one_seed_one_sequence_and_more_begins_with_less(self, sampler: Callable[..., Iterator[Walk]]) -> None:
        few, many = list(sampler(GRAPH, 5, seed=3)), list(sampler(GRAPH, 20, seed=3))
        assert many[:5] == few
        assert many != list(sampler(GRAPH, 20, seed=4))

    def test_algorithm_1_to_the_letter(self) -> None:
        """3.7: weights of one for all, a child drawn inversely to its weight, the weight of what was drawn plus one."""
        rng = random.Random(keys.seed_of(7, "weighted"))
        w = {node.id: 1 for node in GRAPH.nodes}
        expected = []
        while len(expected) < 30:
            p: list[str] = []
            while True:
                children = list(dict.fromkeys(link.target for link in GRAPH.exits(p[-1]))) if p else ["N0"]
                (n,) = rng.choices(children, [1 / w[child] for child in children])
                w[n] += 1
                if p:
                    rng.choice([link for link in GRAPH.exits(p[-1]) if link.target == n])
                p.append(n)
                if not GRAPH.exits(n):
                    expected.append(tuple(p))
                    break
        assert [walk.nodes for walk in weighted(GRAPH, 30, seed=7)] == expected

    def test_it_sees_more_nodes_than_plain_walks_do(self) -> None:
        """3.7: that is what the weights are for."""

        def seen(sampler: Callable[..., Iterator[Walk]]) -> float:
            return sum(coverage(GRAPH, sampler(GRAPH, 3, seed=seed)).nodes.value or 0 for seed in range(200)) / 200

        assert seen(weighted) > seen(vanilla) + 0.02

    def test_limits_on_tries_are_kept(self, limited: Graph) -> None:
        (again,) = {link.tries.node for link in limited.links if link.tries}
        walks = [walk for sampler in SAMPLERS for walk in sampler(limited, 200)]
        assert {walk.nodes.count(again) for walk in walks} == {0, 1, 2}
        assert all(is_walk(limited, walk) for walk in walks)

    def test_samplers_stream(self) -> None:
        assert len(list(islice(weighted(GRAPH, 10**9), 3))) == 3

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("[N0](message){a} [N1](message){b}", "has 2 nodes to begin at: N0, N1"),
            ("[N0](message){a} [E0](N0, N0){}", "has no node to begin at: every node is led to"),
            ("[N0](message){a} [E0](N0, N1){} [N1](message){b} [E1](N1, N1){}", "from N0 no way leads to an end"),
        ],
    )
    def test_a_graph_in_which_walks_get_lost_is_refused(self, text: str, says: str) -> None:
        with pytest.raises(BadSetting, match=says):
            next(vanilla(read_flow_text(text), 1))


def test_values_lead_down_the_first_way_whose_condition_holds(limited: Graph) -> None:
    steering = Steering(limited)
    (find,) = [node.id for node in limited.nodes if node.type == "api"]
    fresh, tired = State(find, (0,)), State(find, (2,))
    assert [link.text for link in limited.exits(find)] == ["Fails", "Fails, after 2 tries", "Otherwise"]
    failed = {"error": {"type": "not_found"}}
    assert steering.choose(fresh, failed) == limited.exits(find)[0]
    assert steering.choose(tired, failed) == limited.exits(find)[1]
    assert steering.choose(tired, {"error": None}) == limited.exits(find)[2]


def test_tries_begin_anew_where_the_same_is_asked_for_without_a_limit() -> None:
    """Numbers that were wrong for one order do not count for another one."""
    graph = flowgraph(procedure("return-an-item"))
    steering = Steering(graph)
    tired = State("N7", tuple(steering.limits.values()))
    another = next(link for link in steering.exits(tired) if link.text == "Another one")
    asked = steering.after(tired, another)
    assert asked.node == "N4"
    assert dict(zip(steering.limits, asked.entered, strict=True)) == {"N3": 1, "N6": 0, "N7": 1}


@pytest.fixture
def limited() -> Graph:
    from toologue.formats.procedure import read

    text = """# Late

1. **Ask** for the number. Collect `n`.
2. **Call** `find` with `n`.
   - If it fails: go to 3.
   - Otherwise: go to 4.
3. **Ask** again. Collect `n`. Go to 2. At most 2 times, then go to 5.
4. **End**: say where it is.
5. **End**: say that it cannot be found.
"""
    return conversation_graph(flowgraph(read(text)))


class TestCover:
    def test_every_edge_then_every_pair(self) -> None:
        edges, pairs = cover(GRAPH, "edges"), cover(GRAPH, "pairs")
        assert (len(edges), len(pairs)) == (4, 5)
        assert not coverage(GRAPH, edges).edges.missing
        assert not coverage(GRAPH, pairs).pairs.missing
        assert coverage(GRAPH, edges).pairs.missing, "edges alone do not see all pairs"

    def test_what_sees_most_comes_first(self) -> None:
        seen = [len(coverage(GRAPH, [walk]).pairs.seen) for walk in cover(GRAPH)]
        assert seen[0] == max(seen)

    @pytest.mark.parametrize(("loops", "count", "most"), [(0, 4, 2), (1, 4, 2), (2, 2, 3), (4, 1, 5)])
    def test_loops_are_bounded(self, loops: int, count: int, most: int) -> None:
        """Four answers lead back to one question; each has to be seen, so that one loop is the least there can be."""
        ring = read_flow_text(
            "[N0](start_message){Hi} [E0](N0, N1){x} [N1](message){Which?} [E1](N1, N1){a} [E2](N1, N1){b} "
            "[E3](N1, N1){c} [E4](N1, N1){d} [E5](N1, N2){none} [N2](end_message){Bye}"
        )
        walks = cover(ring, "edges", max_loops=loops)
        assert not coverage(ring, walks).edges.missing
        assert len(walks) == count
        assert max(walk.nodes.count("N1") for walk in walks) == most

    def test_fewer_walks_come_before_shorter_ones(self) -> None:
        """Three ways from B to C. One walk takes the long way round twice; three walks would be shorter."""
        way_round = " ".join(f"[N{n}](message){{m}} [E{n}](N{n}, N{n + 1 if n < 9 else 1}){{on}}" for n in range(3, 10))
        text = (
            "[N0](start_message){Hi} [E0](N0, N1){x} [N1](message){B} [E10](N1, N2){a} [E11](N1, N2){b} "
            f"[E12](N1, N2){{c}} [N2](message){{C}} [E13](N2, N3){{again}} {way_round} "
            "[E14](N2, N10){out} [N10](end_message){Bye}"
        )
        (walk,) = cover(read_flow_text(text), "edges")
        assert walk.nodes.count("N3") == 2

    def test_a_way_that_opens_late_is_waited_for(self, limited: Graph) -> None:
        walks = cover(limited)
        seen = coverage(limited, walks)
        assert not seen.edges.missing
        assert not seen.pairs.missing
        assert all(is_walk(limited, walk) for walk in walks)

    @given(procedures(), st.sampled_from(["edges", "pairs"]), st.integers(0, 2))
    def test_any_graph_is_covered(self, procedure: Procedure, goal: str, loops: int) -> None:
        flow = flowgraph(procedure)
        for graph in (flow, conversation_graph(flow)):
            walks = cover(graph, goal, max_loops=loops)  # type: ignore[arg-type]
            seen = coverage(graph, walks)
            assert not seen.edges.missing
            assert not seen.nodes.missing
            assert goal == "edges" or not seen.pairs.missing
            assert all(is_walk(graph, walk) for walk in walks)
            assert len(walks) <= len(seen.edges.all | seen.pairs.all)

    def test_settings_that_make_no_sense(self) -> None:
        with pytest.raises(BadSetting, match="max_loops is"):
            cover(GRAPH, max_loops=-1)


class TestCoverage:
    def test_nodes_edges_and_pairs(self) -> None:
        walk = Walk(graph="flow", nodes=("N0", "N1", "N2", "N3", "N2", "N4"), links=("E0", "E1", "E3", "E4", "E5"))
        seen = coverage(GRAPH, [walk])
        assert (str(seen.nodes), str(seen.edges), str(seen.pairs)) == ("5/7", "5/9", "2/8")
        assert seen.pairs.seen == {("E1", "E3"), ("E3", "E5")}
        assert seen.edges.value == pytest.approx(5 / 9)

    def test_a_pair_joins_choices_whatever_lies_between(self) -> None:
        assert list(pairs_of(GRAPH, ["E0", "E1", "E3", "E4", "E3", "E4", "E6", "E7"])) == [
            ("E1", "E3"), ("E3", "E3"), ("E3", "E6"), ("E6", "E7")
        ]  # fmt: skip

    def test_what_only_more_wrong_values_show_is_no_pair(self, limited: Graph) -> None:
        links, pairs = possible(limited)
        assert len(links) == len(limited.links)
        over = next(link.id for link in limited.links if link.tries and link.tries.over)
        first = next(link.id for link in limited.links if link.tries and not link.tries.over)
        assert not any(over in pair for pair in pairs)
        assert (first, first) not in pairs
        failed = [[*walk.links].count(first) for walk in cover(limited, "pairs")]
        assert sorted(failed)[-2:] == [1, 2], "one conversation errs more than once: the one that is out of tries"

    def test_what_is_missing_has_lines(self, limited: Graph) -> None:
        steering = Steering(limited)
        happy = steering.walk(steering.out(steering.start))
        missing = missing_lines(limited, coverage(limited, [happy]))
        assert [(one.line, one.step, one.what, one.text) for one in missing if one.what != "pair"] == [
            (5, 2, "way", "Fails"),
            (5, 2, "way", "Fails, after 2 tries"),
            (7, 3, "step", "Ask again."),
            (7, 3, "step", "Gives n"),
            (7, 3, "way", "Gives n"),
            (9, 5, "step", "Say that it cannot be found."),
        ]
        assert {one.text for one in missing if one.what == "pair"} == {"Fails, then Otherwise"}

    def test_nothing_to_see_is_no_share(self) -> None:
        graph = read_flow_text("[N0](start_message){Hi} [E0](N0, N1){x} [N1](end_message){Bye}")
        assert coverage(graph, []).pairs.value is None
        assert coverage(graph, []).edges.value == 0
        assert len(cover(graph)) == 1


def test_a_cover_of_more_pairs_than_anybody_walks_is_refused() -> None:
    ways = range(80)
    nodes = "[N0](start_message){a}\n[N1](message){b}\n[N2](end_message){c}\n"
    links = "".join(f"[E{n}](N0, N1){{{n}}}\n[F{n}](N1, N2){{{n}}}\n" for n in ways)
    graph = read_flow_text(nodes + links)
    with pytest.raises(BadSetting, match=r"6,560 pairs, and covers are found for 5,000"):
        cover(graph, "pairs")
    assert len(cover(graph, "edges")) == len(ways)
