"""Graphs: a procedure becomes a flowgraph, a flowgraph a conversation graph, and broken rules have names."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from procedure_strategies import procedures
from pydantic import ValidationError

from toologue.errors import BadSetting
from toologue.formats.flow import read_flow_text
from toologue.formats.procedure import read
from toologue.procedure import conversation_graph as talk
from toologue.procedure import flowgraph as flow
from toologue.schema import Graph, Link, Node, Procedure, Tries, Walk
from toologue.schema.jsonl import line_of, parse

PARCEL = read("""\
---
issue: My parcel is late.
greeting: Welcome the customer
---
# Late parcels

1. **Ask** for the number. Collect `number` and `name`.
2. **Call** `get_parcel` with `number`, giving `parcel`.
   - If it fails with `not_found`: go to 3.
   - If it fails: go to 7.
   - If `parcel.status == "lost"`: go to 5.
   - Otherwise: go to 4.
3. **Ask** for another number. Collect `number`. Go to 2. At most 2 times, then go to 7.
4. **Say** that it comes on {parcel.due}. Go to 7.
5. **Ask** whether they want the money.
   - Yes, if `parcel.value < 100`, so `why = "lost"`: go to 6.
   - Yes: go to 7.
   - Otherwise: go to 7.
6. **Call** `refund` with `number` and `reason = why`.
7. **End**: say goodbye.
""")


def graph(text: str) -> Graph:
    return read_flow_text(dedent(text))


class TestFlowgraph:
    made = flow.flowgraph(PARCEL)

    def exits(self, node: str) -> list[tuple[str, str]]:
        return [(link.text, link.target) for link in self.made.exits(node)]

    def test_it_keeps_the_rules(self) -> None:
        assert flow.check(self.made) == []

    def test_it_begins_with_a_greeting_and_the_issue(self) -> None:
        assert self.made.nodes[0] == Node(id="N0", type="start_message", text="Welcome the customer")
        assert self.exits("N0") == [("My parcel is late.", "N1")]

    def test_each_step_is_a_node_that_knows_where_it_comes_from(self) -> None:
        ask, call = self.made.nodes[1:3]
        assert (ask.type, ask.text, ask.collects) == ("message", "Ask for the number.", ("number", "name"))
        assert (call.type, call.text, call.arguments) == ("api", "get_parcel", {"number": "number"})
        assert (call.result, call.step, call.line) == ("parcel", 2, 8)
        assert [node.type for node in self.made.nodes][4:] == ["message", "message", "api", "end_message"]

    def test_exits_say_what_customers_reply_and_what_apis_return(self) -> None:
        assert self.exits("N1") == [("Gives number and name", "N2")]
        assert self.exits("N2") == [
            ("Fails: not found", "N3"),
            ("Fails: not found, after 2 tries", "N7"),
            ("Fails", "N7"),
            ('parcel.status == "lost"', "N5"),
            ("Otherwise", "N4"),
        ]
        assert self.exits("N4") == [("Acknowledges", "N7")]
        assert self.exits("N5") == [("Yes", "N6"), ("Yes", "N7"), ("Says something else", "N7")]
        assert self.exits("N6") == [("Succeeds", "N7")]

    def test_conditions_are_tried_in_order_and_look_at_results_of_calls_that_did_not_fail(self) -> None:
        assert [link.condition for link in self.made.exits("N2")] == [
            'error.type == "not_found"',
            'error.type == "not_found"',
            "error",
            'not error and (parcel.status == "lost")',
            "not error",
        ]
        yes, *_ = self.made.exits("N5")
        assert (yes.condition, yes.sets, yes.line) == ("parcel.value < 100", {"why": '"lost"'}, 16)

    def test_a_limit_gives_each_way_in_a_way_round(self) -> None:
        first, then = self.made.exits("N2")[:2]
        assert (first.tries, then.tries) == (Tries(node="N3", times=2), Tries(node="N3", times=2, over=True))

    @given(procedures())
    def test_any_sound_procedure_gives_one_that_keeps_the_rules(self, procedure: Procedure) -> None:
        made = flow.flowgraph(procedure)
        assert flow.check(made) == []
        assert {node.step for node in made.nodes if node.step} == {step.number for step in procedure.steps}

    def test_without_an_issue_the_title_stands_for_it(self) -> None:
        made = flow.flowgraph(PARCEL.replace(issue="", greeting=""))
        assert (made.nodes[0].text, made.links[0].text) == (flow.GREETING, "Late parcels")


FLOWS = {
    "[N0](message){Hi} [E0](N0, N1){x} [N1](end_message){Bye}": "one start: : 0 nodes are of type start_message",
    "[N0](start_message){Hi} [N1](start_message){Hi} [E0](N0, N1){x}": "one start: N0, N1: 2 nodes are of type",
    "[N0](start_message){Hi} [E0](N0, N1){x} [N1](message){?} [E1](N1, N0){y}": "one start: E1: it leads back",
    "[A](start_message){Hi} [E0](A, N1){x} [N1](end_message){Bye}": "node ids: A: an id is N and a number",
    "[N0](start_message){Hi} [E01](N0, N1){x} [N1](end_message){Bye}": "link ids: E01: an id is E and a number",
    "[N0](start_message){Hi} [E0](N0, N1){x} [N1](end_message){Bye} [E1](N1, N1){y}": "end goes on: N1: E1 leads out",
    "[N0](start_message){Hi} [E0](N0, N1){x} [N1](message){Bye}": "end is no end: N1: nothing leads on from a node of",
    "[N0](start_message){Hi} [E0](N0, N1){x} [N1](end_message){ }": "silent node: N1: it does not say what to do",
    "[N0](start_message){Hi} [E0](N0, N1){} [N1](end_message){Bye}": "silent reply: E0: an exit of N0 does not say the",
    "[N0](start_message){Hi} [E0](N0, N1){x} [N1](api){f} [E1](N1, N2){} [N2](end_message){Bye}": (
        "silent output: E1: an exit of N1 does not say the output"
    ),
    "[N0](start_message){Hi} [E0](N0, N1){x} [N1](end_message){Bye} [N2](end_message){Oh}": "unreachable: N2: ",
    "[N0](start_message){Hi} [E0](N0, N1){x} [N1](message){?} [E1](N1, N1){y}": "no way out: N0: no way leads from it",
    "[N0](start_message){Hi} [E0](N0, N1){x} [E1](N0, N2){X} [N1](end_message){Bye} [N2](end_message){Oh}": (
        "same exit twice: N0: 2 exits say 'x', and nothing tells them apart"
    ),
}


@pytest.mark.parametrize(("text", "says"), FLOWS.items(), ids=[says.split(":")[0] for says in FLOWS.values()])
def test_each_rule_of_flowgraphs_has_a_name(text: str, says: str) -> None:
    assert any(str(violation).startswith(says) for violation in flow.check(graph(text))), flow.check(graph(text))


class TestConversationGraph:
    made = talk.conversation_graph(flow.flowgraph(PARCEL))

    def test_it_keeps_the_rules(self) -> None:
        assert talk.check(self.made) == []

    def test_replies_stand_between_messages_and_what_follows(self) -> None:
        assert [(node.type, node.text) for node in self.made.nodes][:5] == [
            ("assistant", "Welcome the customer"),
            ("user", "My parcel is late."),
            ("assistant", "Ask for the number."),
            ("user", "Gives number and name"),
            ("api", "get_parcel"),
        ]
        assert self.made.by_id["N3"].collects == ("number", "name")

    def test_only_what_apis_return_is_said_on_links(self) -> None:
        described = {self.made.by_id[link.source].type for link in self.made.links if link.text}
        assert described == {"api"}

    def test_one_reply_may_lead_to_different_places_by_conditions(self) -> None:
        (yes,) = [node for node in self.made.nodes if node.text == "Yes"]
        assert [(link.condition, self.made.by_id[link.target].text) for link in self.made.exits(yes.id)] == [
            ("parcel.value < 100", "refund"),
            ("", "Say goodbye."),
        ]
        assert self.made.exits(yes.id)[0].sets == {"why": '"lost"'}

    def test_limits_follow_the_nodes(self) -> None:
        limited = {link.tries.node for link in self.made.links if link.tries}
        assert [self.made.by_id[node].text for node in limited] == ["Ask for another number."]

    def test_steps_and_lines_are_kept(self) -> None:
        lines = {node.text: (node.step, node.line) for node in self.made.nodes}
        assert lines["get_parcel"] == (2, 8)
        assert lines["Says something else"] == (5, 18)

    @given(procedures())
    def test_any_valid_flowgraph_gives_a_valid_one(self, procedure: Procedure) -> None:
        """Two messages in a row, api after api, an end after an api, replies that lead to one node, cycles …"""
        before = flow.flowgraph(procedure)
        made = talk.conversation_graph(before)
        assert talk.check(made) == []
        said = [node.text for node in before.nodes if node.type != "api"]
        assert sorted(node.text for node in made.nodes if node.type == "assistant") == sorted(said)
        assert sum(node.type == "api" for node in made.nodes) == sum(node.type == "api" for node in before.nodes)

    @pytest.mark.parametrize(
        ("text", "types"),
        [
            ("[N0](start_message){Hi} [E0](N0, N1){x} [N1](api){f} [E1](N1, N2){y} [N2](end_message){z}", "auca"),
            ("[N0](start_message){Hi} [E0](N0, N1){x} [N1](end_message){Bye}", "aua"),
            ("[N0](start_message){Hi} [E0](N0, N1){x} [E1](N0, N1){y} [N1](end_message){Bye}", "auua"),
            ("[N0](start_message){a} [E0](N0, N1){x} [N1](message){b} [E1](N1, N1){y} [E2](N1, N2){z} "
             "[N2](end_message){c}", "auauua"),
            ("[N0](start_message){a} [E0](N0, N1){x} [N1](api){f} [E1](N1, N2){y} [N2](api){g} [E2](N2, N1){no} "
             "[E3](N2, N3){yes} [N3](end_message){c}", "aucca"),
        ],
        ids=["a call at once", "the end at once", "two replies, one node", "asked again", "calls in a ring"],
    )  # fmt: skip
    def test_corners(self, text: str, types: str) -> None:
        made = talk.conversation_graph(graph(text))
        assert talk.check(made) == []
        assert "".join(sorted(types)) == "".join(sorted("c" if n.type == "api" else n.type[0] for n in made.nodes))

    def test_a_flowgraph_that_breaks_rules_is_refused(self) -> None:
        with pytest.raises(BadSetting, match=r"'flow' is no valid flowgraph, 1 rules are broken:\n  end is no end: N1"):
            talk.conversation_graph(graph("[N0](start_message){Hi} [E0](N0, N1){x} [N1](message){Bye}"))


TALKS = {
    "[N0](user){Hi} [E0](N0, N1){} [N1](assistant){Bye}": "first node: N0 (user): one assistant node has no parent",
    "[N0](assistant){a} [N1](user){b} [E0](N0, N1){} [E1](N1, N0){}": "first node: none: one assistant node has",
    "[N0](assistant){a} [N1](assistant){b} [E0](N0, N1){}": "after assistant: E0: no assistant node follows",
    "[N0](assistant){a} [N1](api){b} [E0](N0, N1){} [N2](assistant){c} [E1](N1, N2){x}": "after assistant: E0: no api",
    "[N0](assistant){a} [N1](user){b} [N2](user){c} [E0](N0, N1){} [E1](N1, N2){}": "after user: E1: no user node foll",
    "[N0](assistant){a} [N1](user){b} [N2](api){c} [N3](user){d} [E0](N0, N1){} [E1](N1, N2){} [E2](N2, N3){x}": (
        "after api: E2: no user node follows one of type api"
    ),
    "[N0](assistant){a} [N1](user){b} [E0](N0, N1){}": "last node: N1: it leads nowhere, and is of type user",
    "[N0](assistant){a} [N1](user){b} [E0](N0, N1){x} [N2](assistant){c} [E1](N1, N2){}": "described link: E0: it",
    "[N0](assistant){a} [N1](user){b} [N2](api){c} [N3](assistant){d} [E0](N0, N1){} [E1](N1, N2){} [E2](N2, N3){}": (
        "silent output: E2: it does not say what N2 returned"
    ),
    "[N0](assistant){} [N1](user){b} [N2](assistant){c} [E0](N0, N1){} [E1](N1, N2){}": "silent node: N0: it does not",
    "[N0](assistant){a} [X](user){b} [N2](assistant){c} [E0](N0, X){} [E1](X, N2){}": "node ids: X: an id is N and a",
    "[N0](assistant){a} [N1](user){b} [E0](N0, N1){} [N2](assistant){c} [E1](N1, N2){} [N3](user){d} [E2](N3, N3){}": (
        "unreachable: N3: the start does not lead there"
    ),
}


@pytest.mark.parametrize(("text", "says"), TALKS.items(), ids=[says.split(":")[0] for says in TALKS.values()])
def test_each_rule_of_conversation_graphs_has_a_name(text: str, says: str) -> None:
    assert any(str(violation).startswith(says) for violation in talk.check(graph(text))), talk.check(graph(text))


def test_the_example_of_the_paper_in_our_words() -> None:
    """A.5: nine nodes of a flowgraph become fourteen of a conversation graph."""
    made = talk.conversation_graph(
        graph("""\
        [N0](start_message){Welcome them}
        [E0](N0, N1){Nothing came}
        [N1](message){Ask for the number}
        [E2](N1, N2){Gives the number}
        [N2](api){look_up}
        [N3](message){Ask: stop it, or money back?}
        [E3](N2, N3){There}
        [N4](message){Say that it is not there}
        [E4](N2, N4){Not there}
        [E5](N4, N2){Gives another number}
        [N5](api){stop}
        [E6](N3, N5){Stop it}
        [N6](end_message){Stopped}
        [E7](N5, N6){Done}
        [N7](api){pay_back}
        [E8](N3, N7){Money back}
        [N8](end_message){Paid back}
        [E9](N7, N8){Done}""")
    )
    assert (len(made.nodes), len(made.links)) == (14, 14)
    assert talk.check(made) == []


class TestNouns:
    def test_ids_are_unique_and_links_join_what_is_there(self) -> None:
        node, link = Node(id="N0", type="api", text="f"), Link(id="E0", source="N0", target="N0")
        with pytest.raises(ValidationError, match="two nodes are called 'N0'"):
            Graph(id="g", kind="flowgraph", nodes=(node, node))
        with pytest.raises(ValidationError, match="two links are called 'E0'"):
            Graph(id="g", kind="flowgraph", nodes=(node,), links=(link, link))
        with pytest.raises(ValidationError, match="link 'E0' joins a node 'N9' that is not there"):
            Graph(id="g", kind="flowgraph", nodes=(node,), links=(link.replace(target="N9"),))

    def test_a_walk_has_a_link_between_any_two_nodes(self) -> None:
        with pytest.raises(ValidationError, match="2 nodes are joined by 1 links, not 0"):
            Walk(graph="g", nodes=("N0", "N1"))

    @given(procedures())
    def test_graphs_are_lines_of_files(self, procedure: Procedure) -> None:
        made = talk.conversation_graph(flow.flowgraph(procedure))
        assert parse(line_of(made), Graph) == made
