"""EMR, perfect dialogues, turns, BLEU, CodeEdits: by hand on small conversations, by law on any (Dialog2API 2.1)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.agents.agent import ScriptedAgent
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Case, Dialogue, Fault, Program, Result, Trace, UserTurn, rounds
from toologue.score.metric import totals
from toologue.score.programs import METRICS, edits, programs, scores_of, tokens

JUDGE = TextMatch.of("exact")
ROW = "Account/signature"


class Shelf:
    """A world of programs in miniature: `put x` (or `add x`) changes it, `take x` changes it back, `read` gives it."""

    apis = ()

    def __init__(self):
        self.held = frozenset()

    def do(self, act):
        verb, _, what = act.code.partition(" ")
        before = self.held
        self.held = {"put": self.held | {what}, "add": self.held | {what}, "take": self.held - {what}}.get(
            verb, self.held
        )
        changes = {ROW: str(sorted(self.held))} if self.held != before else {}
        error = Fault(type=what) if verb == "raise" else None
        return Result(value=sorted(self.held) if verb == "read" else None, error=error, changes=changes)

    def mark(self):
        return self.held

    def rewind(self, mark):
        self.held = mark


def conversation(*turns):
    """Each turn of the user is answered by programs: `+code` runs, `code` is a draft."""
    found, goal = [], itertools.count(1)
    for codes in turns:
        acts = [
            Program(goal=str(next(goal)), status="final" if code[0] == "+" else "drafting", code=code.lstrip("+"))
            for code in codes
        ]
        found.append(UserTurn(text="Please."))
        found += [AgentTurn(acts=tuple(acts))] if acts else []
        found.append(AgentTurn(text="It is done, as you wished."))
    return Dialogue(id="d", turns=tuple(found), extra={"initial_signature": "[]"})


def lived(gold, other, protocol="recorded"):
    case = Case(id="d", gold=gold, protocol=protocol)
    turns, stop = play(case, ScriptedAgent([did for _, did in rounds(other.turns)]), Shelf())
    return Trace(case="c", dialogue="d", protocol=protocol, agent="it", turns=tuple(turns), stop=stop)


def executed(dialogue):
    return dialogue.replace(turns=lived(dialogue, dialogue).turns)


def values(gold, other, mode="fixed"):
    gold = executed(gold)
    return {name: score.value for name, score in scores_of(mode, gold, lived(gold, other)).items()}


GOLD = conversation(["put ?1"], ["+put a"], [], ["+read"], ["+raise ChitChat"])


@pytest.mark.parametrize(
    ("other", "emr", "turns"),
    [
        (GOLD, 1.0, 1.0),
        (conversation(["put ?1", "put ?2"], ["+put a"], [], ["+read"], ["+raise ChitChat"]), 1.0, 1.0),
        (conversation([], ["+put a"], ["take ?1"], ["+read"], ["+raise ChitChat"]), 1.0, 1.0),
        (conversation(["put ?1"], ["put a"], [], ["+read"], ["+raise ChitChat"]), 0.2, 0.4),
        (conversation(["+put a"], ["put a"], [], ["+read"], ["+raise ChitChat"]), 0.0, 0.6),
        (conversation(["put ?1"], ["+put b"], [], ["+read"], ["+raise ChitChat"]), 0.2, 0.4),
        (conversation(["put ?1"], ["+put a"], ["+read"], ["+read"], ["+raise ChitChat"]), 0.4, 0.8),
        (conversation(["put ?1"], ["+put a"], [], ["+put a"], ["+raise ChitChat"]), 0.6, 0.8),
        (conversation(["put ?1"], ["+put a"], [], ["+read", "+read"], ["+raise ChitChat"]), 1.0, 1.0),
        (conversation(["put ?1"], ["+put a"], [], ["+read"], []), 0.8, 0.8),
        (conversation(["put ?1"], ["+put a"], [], ["+read"], ["+raise EndDialog"]), 0.8, 0.8),
        (conversation(["put ?1"], ["+put a"], [], ["+take a", "+put a", "+read"], []), 0.8, 0.8),
    ],
)
def test_emr_is_the_share_of_turns_before_the_first_that_does_not_match(other, emr, turns):
    found = values(GOLD, other)
    assert (found["EMR"], found["turn match"]) == (emr, turns)
    assert found["perfect dialogue"] == float(emr == 1)


def test_published_sees_no_errors_and_fixed_does():
    other = conversation(["put ?1"], ["+put a"], [], ["+read"], ["+raise NoSuchBucket"])
    assert values(GOLD, other, "published")["EMR"] == 1.0
    assert values(GOLD, other, "fixed")["EMR"] == 0.8
    silent = conversation(["put ?1"], ["+put a"], [], ["+read"], ["+nothing"])
    assert values(GOLD, silent, "published")["EMR"] == 1.0
    assert values(GOLD, silent, "fixed")["EMR"] == 0.8


def test_an_account_that_is_back_where_it_began_is_the_one_that_nobody_touched():
    """The gold only reads; the other puts and takes, in one turn, and reads as the last of three programs."""
    gold, restored = conversation(["+read"], ["+read"]), conversation(["+put a", "+take a"], ["+read"])
    assert values(gold, restored)["turn match"] == 0.5
    assert values(conversation(["+put a"], ["+take a"]), conversation(["+put a"], ["+take a"]))["EMR"] == 1


def test_another_way_to_the_same_account_is_as_good():
    gold = conversation(["+put a"], ["+read"])
    assert values(gold, conversation(["+add a"], ["+read"]))["EMR"] == 1.0


def test_every_difference_is_told_with_its_place():
    gold = executed(GOLD)
    other = conversation(["+read"], ["put a"], [], ["+raise NoSuchKey"], ["+raise FAQ"])
    score = programs(gold, lived(gold, other), JUDGE)["perfect dialogue"]
    assert [(one.turn, one.why) for one in score.at] == [
        (1, "a program was executed, against expectation"),
        (4, "no program was executed"),
        (9, "one failed, the other did not"),
        (12, "the program failed otherwise"),
    ]
    assert score.at[2].expected == [{"account": "['a']", "value": ["a"]}]
    assert score.at[2].actual == [{"account": "[]", "error": "NoSuchKey"}]


def test_an_agent_that_breaks_loses_what_is_left():
    gold = executed(GOLD)
    whole = lived(gold, GOLD)
    broken = whole.replace(turns=(*whole.turns[:4], AgentTurn(error=Fault(type="raised"))), stop="error")
    assert programs(gold, broken, JUDGE)["EMR"].value == 0.2
    assert programs(gold, whole.replace(turns=()), JUDGE)["EMR"].value == 0.0
    muted = whole.replace(turns=(*whole.turns[:4], AgentTurn(error=Fault(type="connection"))), stop="error")
    assert {score.value for score in programs(gold, muted, JUDGE).values()} == {None}


def test_a_gold_without_programs_or_results_is_not_scored():
    talk = conversation([], [])
    assert programs(talk, lived(talk, talk), JUDGE) == {}
    assert {score.why for score in programs(GOLD, lived(GOLD, GOLD), JUDGE).values()} == {
        "the gold was never executed, so what it comes to is unknown"
    }
    gold = executed(GOLD)
    assert programs(gold, lived(gold, GOLD).replace(protocol="live"), JUDGE) == {}


codes = st.sampled_from(["put a", "+put a", "+put b", "+take a", "+read", "+raise ChitChat", "+raise FAQ", "+nothing"])
talks = st.lists(st.lists(codes, max_size=2), min_size=1, max_size=5).map(lambda turns: conversation(*turns))


@given(talks, talks)
def test_the_definition_holds_for_any_two_conversations(gold, other):
    gold = executed(gold)
    for mode in ("fixed", "published"):
        found = scores_of(mode, gold, lived(gold, other))
        if not found:
            continue
        emr, perfect, turns = (found[name].value for name in METRICS[:3])
        assert 0 <= emr <= turns <= 1
        assert perfect == float(emr == 1) == float(turns == 1)
        mine = scores_of(mode, gold, lived(gold, gold))
        assert [mine[name].value for name in METRICS[:4]] == [1, 1, 1, pytest.approx(1)]
        assert mode == "fixed" or not any(score.unsure for score in (*found.values(), *mine.values()))


def test_the_emr_of_a_benchmark_is_the_mean_over_dialogues():
    gold = executed(GOLD)
    half = programs(gold, lived(gold, conversation(["put ?1"], ["put a"])), JUDGE)
    short = executed(conversation(["+put a"])).replace(id="short")
    whole = programs(short, lived(short, short).replace(dialogue="short"), JUDGE)
    found = {total.metric: total for total in totals([*half.values(), *whole.values()])}
    assert found["EMR"].value == (0.2 + 1) / 2
    assert found["turn match"].value == pytest.approx((2 + 1) / 6)
    assert found["perfect dialogue"].value == 0.5


def test_bleu_is_that_of_the_corpus():
    bleu = pytest.importorskip("sacrebleu").metrics.BLEU(force=True)
    pairs = [
        ("The bucket attic is gone.", "The bucket attic is gone."),
        ("Here are your two files:\n- a\n- b", "Two files"),
    ]
    scores = []
    for number, (wanted, said) in enumerate(pairs):
        gold = executed(conversation(["+read"])).replace(id=str(number))
        turns = lived(gold, gold).turns
        gold = gold.replace(turns=(*gold.turns[:2], AgentTurn(text=wanted)))
        trace = lived(gold, gold).replace(dialogue=gold.id, turns=(*turns[:2], AgentTurn(text=said)))
        scores.append(programs(gold, trace, JUDGE)["BLEU"])
    (total,) = totals(scores)
    expected = bleu.corpus_score([said for _, said in pairs], [[wanted for wanted, _ in pairs]]).score
    assert total.value == pytest.approx(expected / 100)
    assert scores[0].value == 1.0
    assert 0 < scores[1].value < 0.2


def test_words_that_nobody_says_count_as_empty():
    pytest.importorskip("sacrebleu")
    gold = executed(conversation(["+read"]))
    silent = lived(gold, conversation(["+read"])).turns[:2]
    trace = lived(gold, gold).replace(turns=silent)
    assert programs(gold, trace, JUDGE)["BLEU"].value == 0.0


def test_code_edits_compare_programs_where_the_gold_stands():
    gold = executed(conversation(["return f(?1)"], ["+return f('a')"], []))
    same = programs(gold, lived(gold, gold, "next"), JUDGE)
    assert list(same) == ["CodeEdits"]
    assert same["CodeEdits"].value == 0
    other = conversation(["return f(?2)"], [], ["+return 1"])
    score = programs(gold, lived(gold, other, "next"), JUDGE)["CodeEdits"]
    assert score.value == (1 + len(tokens("return f('a')"))) / 2
    assert [(one.turn, one.why) for one in score.at] == [(1, "1 tokens"), (4, "6 tokens")]


def test_an_empty_final_program_is_compared_as_the_draft_of_the_gold():
    draft = AgentTurn(acts=(Program(goal="1", status="drafting", code="return 1"),))
    final = AgentTurn(acts=(Program(goal="1", status="final", code="return 1"),))
    gold = Dialogue(id="d", turns=(UserTurn(), draft, AgentTurn(text="?"), UserTurn(), final, AgentTurn(text="!")))
    empty = final.replace(acts=(final.acts[0].replace(code=""),))
    turns = (*gold.turns[:4], empty, gold.turns[5])
    trace = Trace(case="", dialogue="d", protocol="next", agent="it", turns=turns)
    assert programs(gold, trace, JUDGE)["CodeEdits"].value == 0


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("", []),
        ("# only a remark\n\n", []),
        ("x = ?1", ["x", "=", "?1", "<line>"]),
        ("if ?1:\n\n  # why\n  ?2\n", ["if", "?1", ":", "<line>", "<indent>", "?2", "<line>", "<dedent>"]),
        ("  return 1\n  ", ["return", "1", "<line>"]),
        ("f'{?1}/x'", ["f'{?1}/x'", "<line>"]),
        ("é = F'é{f\"{x!r:>{n}}\"}{{}}' 'y'", ["é", "=", "F'é{f\"{x!r:>{n}}\"}{{}}'", "'y'", "<line>"]),
        ("f(f'''a{\n  b\n}''')\ny", ["f", "(", "f'''a{\n  b\n}'''", ")", "<line>", "y", "<line>"]),
        ("x = ?", ["x", "=", "?"]),
        ("x ! \ufeffy", ["x", "!", "\ufeff", "y"]),
        ("x = '\ud800'", ["x", "=", "'\ud800'"]),
        ("x\r\ny\r\n", ["x", "<line>", "y", "<line>"]),
        ("placeholder_1 = ?1", ["placeholder_1", "=", "?1", "<line>"]),
        ("f(", ["f", "("]),
        ("x = 'a b", ["x", "=", "'", "a", "b"]),
        ("if x:\n    y\n  z", ["if", "x", ":", "<line>", "y", "<line>", "z"]),
    ],
)
def test_tokens(code, expected):
    assert tokens(code) == expected


anything = st.text(max_size=30) | st.sampled_from(
    ["return 1", "f(?1)", "'''", "if x:\n\ty\n z", "\x00", "\\", "\f", "0x"]
)


@given(anything, anything, anything)
def test_edits_are_a_distance_whatever_the_texts(one, other, third):
    assert edits(one, one) == 0
    assert edits(one, other) == edits(other, one) <= max(len(tokens(one)), len(tokens(other)))
    assert edits(one, third) <= edits(one, other) + edits(other, third)
