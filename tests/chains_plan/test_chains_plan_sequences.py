"""Actions and sequences: the graph yields the paper's tables, and what fits which pair is what the paper pairs."""

from __future__ import annotations

from itertools import pairwise, product
from typing import get_args

import pytest

from toologue.plan.chains.sequences import (
    ACTIONS,
    GRAPH,
    RULES,
    SEQUENCES,
    Category,
    Fit,
    action_of,
    broken_rule,
    derive_sequences,
    fitting,
    unfit_reason,
)
from toologue.schema import MOVES, AgentAction, UserAction

SHORT = {
    "IC": "inform_intent_clear", "IA": "inform_intent_clear_add", "IV": "inform_intent_vague", "I": "inform",
    "FI": "fail_inform", "AF": "affirm", "NG": "negate", "UB": "user_bye", "R": "retriever_call", "RQ": "request",
    "RM": "request_multi", "C": "call", "RS": "response", "CL": "clarify", "SG": "suggest", "RF": "response_fail",
    "SB": "system_bye",
}  # fmt: skip
TABLES = {
    "11.1": "IV R SG AF RQ FI R RQ I C C RS UB SB",
    "11.2": "IV R SG AF RQ FI R C RQ I C RS UB SB",
    "11.3": "IV R CL IC R RQ FI R C RQ I C RS UB SB",
    "11.4": "IV R CL IC R RQ FI R RQ I C RM I C RS UB SB",
    "11.5": "IV R CL IC R RQ FI R RQ I C RQ I C RS UB SB",
    "11.6": "IC R RQ FI R C RM I C RS UB SB",
    "11.7": "IC R RQ FI R RQ I C RQ I C RS UB SB",
    "11.8": "IC R RQ FI R RQ I C C RS UB SB",
    "11.9": "IC R RQ FI R C RQ I C RS UB SB",
    "11.10": "IV R SG AF RQ FI R RQ I C RM I C RS UB SB",
    "11.11": "IV R CL IC R RQ FI R RQ I C C RS UB SB",
    "11.12": "IV R SG AF RQ FI R RQ I C RQ I C RS UB SB",
    "11.13": "IC R RQ FI R RQ I C RM I C RS UB SB",
    "11.14": "IV R CL IC R RQ FI R C RM I C RS UB SB",
    "11.15": "IV R SG AF RQ FI R C RM I C RS UB SB",
    "12.1": "IV R CL IC R RQ I C RS UB SB",
    "12.2": "IV R CL IA R C RS UB SB",
    "12.3": "IV R SG AF RQ I C RS UB SB",
    "12.4": "IV R CL IA R RQ I C RS UB SB",
    "12.5": "IA R RQ I C RS UB SB",
    "12.6": "IA R C RS UB SB",
    "12.7": "IC R RQ I C RS UB SB",
    "13.1": "IV R SG NG RF",
}
CODE_ONLY = {
    "code.1": "IC R RQ FI R C C RS UB SB",
    "code.2": "IV R CL IC R RQ FI R C C RS UB SB",
    "code.3": "IV R SG AF RQ FI R C C RS UB SB",
}
ONE_WITH_REST = {"12.7", "12.5", "12.1", "12.3", "12.4"}
ONE_WITHOUT = {"12.7", "12.6", "12.1", "12.3", "12.2"}
FITTING = {
    ("yesyes", "knowable"): ONE_WITH_REST, ("zeroyes", "knowable"): ONE_WITH_REST,
    ("yeszero", "knowable"): ONE_WITHOUT, ("zerozero", "knowable"): ONE_WITHOUT,
    ("yesyes", "single"): {"11.8", "11.11", "11.1", "11.7", "11.5", "11.12"},
    ("yeszero", "single"): {"11.8", "11.11", "11.1"},
    ("zeroyes", "single"): {"11.9", "11.3", "11.2", *CODE_ONLY}, ("zerozero", "single"): {*CODE_ONLY},
    ("yesyes", "multi"): {"11.13", "11.4", "11.10"}, ("yeszero", "multi"): {"11.13", "11.4", "11.10"},
    ("zeroyes", "multi"): {"11.6", "11.14", "11.15"}, ("zerozero", "multi"): {"11.6", "11.14", "11.15"},
}  # fmt: skip


def spelled(row: str) -> tuple[str, ...]:
    return tuple(SHORT[name] for name in row.split())


class TestActions:
    def test_eight_and_eight(self) -> None:
        assert list(ACTIONS) == [*get_args(UserAction), *get_args(AgentAction)]
        assert len(ACTIONS) == 16
        assert [action.who for action in ACTIONS.values()] == ["user"] * 8 + ["agent"] * 8
        assert {name for name, action in ACTIONS.items() if not action.spoken} == {"call", "retriever_call"}

    def test_every_action_is_a_move_and_stands_in_the_graph(self) -> None:
        assert set(ACTIONS) <= set(MOVES)
        assert {action_of(step) for step in GRAPH} == set(ACTIONS)
        assert {target for targets in GRAPH.values() for target in targets} <= set(GRAPH)

    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
    def test_no_rule_can_be_spared(self, rule: object, monkeypatch: pytest.MonkeyPatch) -> None:
        def longer_than_any(steps: tuple[str, ...]) -> bool:
            return len(steps) > 18

        others = tuple(one for one in RULES if one is not rule)
        monkeypatch.setattr("toologue.plan.chains.sequences.RULES", others)

        def walks(steps: tuple[str, ...]) -> int:
            if broken_rule(steps) or longer_than_any(steps):  # type: ignore[arg-type]
                return 0
            following = GRAPH[steps[-1]]  # type: ignore[index]
            return (not following) + sum(walks((*steps, step)) for step in following)

        openings = [name for name in ACTIONS if name.startswith("inform_intent")]
        assert sum(walks((name,)) for name in openings) > len(SEQUENCES)


class TestSequences:
    def test_they_are_those_of_the_tables_and_of_the_code(self) -> None:
        assert {key: one.steps for key, one in SEQUENCES.items()} == {
            key: spelled(row) for key, row in {**TABLES, **CODE_ONLY}.items()
        }

    def test_in_the_order_of_the_tables(self) -> None:
        assert list(SEQUENCES) == [*TABLES, *CODE_ONLY]
        assert {one.key for one in derive_sequences()} == set(SEQUENCES)

    def test_23_of_the_paper_20_distinct_as_actions(self) -> None:
        paper = [one for one in SEQUENCES.values() if not one.published_code_only]
        assert len(paper) == 23
        assert [one.apis for one in paper].count(2) == 15
        assert len({one.actions for one in SEQUENCES.values()}) == 20

    def test_they_follow_the_graph(self) -> None:
        for one in SEQUENCES.values():
            assert all(after in GRAPH[before] for before, after in pairwise(one.steps))
            assert broken_rule(one.steps) is None

    @pytest.mark.parametrize("category", get_args(Category))
    @pytest.mark.parametrize("fit", get_args(Fit))
    def test_what_fits_a_pair(self, category: str, fit: str) -> None:
        found = {one.key for one in fitting(category, fit, published_code=True)}  # type: ignore[arg-type]
        assert found == FITTING[category, fit] | {"13.1"}
        without = {one.key for one in fitting(category, fit)}  # type: ignore[arg-type]
        assert without == found - set(CODE_ONLY)

    def test_what_does_not_fit_says_why(self) -> None:
        pairs = list(product(get_args(Category), get_args(Fit)))
        whys = {
            unfit_reason(one, category, fit) for one in SEQUENCES.values() for category, fit in pairs
        }  # fmt: skip
        assert whys == {
            "",
            "the user fails to tell what users know",
            "it has no second API, and users do not know the parameter",
            "it has a choice among results, and there is one result",
            "it has no choice among results, and there is more than one",
            "it does not ask for what the source needs",
            "it asks for what the source needs, and the source needs nothing",
            "it asks for the rest, and there is none",
            "there is more to ask than what comes unasked",
            "nothing is left to ask",
        }
