"""The stack of programs: compared, after every step, with a plain model of what the paper says of it (Dialog2API 3)."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from toologue.errors import StackError, UserError
from toologue.schema import AgentTurn, Call, Program, Result, UserTurn
from toologue.schema.stack import Stacked, completed, put, stack

GOALS = st.sampled_from(["1", "2", "5", "40", "rename"])
CODES = st.sampled_from(["return 1", "return ?1", "s3.delete_bucket(Bucket='attic')", "if ?1:\n    ?2"])
BLANK = st.sampled_from(["", " ", "\n\n"])


def program(goal, status, code=""):
    return Program(goal=goal, status=status, code=code)


class TheStack(RuleBasedStateMachine):
    """The model: `order` has the goals, what was written last at its end; `now` what became of each."""

    @initialize()
    def begin(self):
        self.turns, self.order, self.now = [UserTurn(text="Hi")], [], {}

    def drafts(self):
        return [goal for goal in self.order if self.now[goal].status == "drafting"]

    def write(self, act, code, same_turn):
        """One more program, in a turn of its own or in the one before."""
        result = Result(value=len(self.turns)) if act.status == "final" else None
        last = self.turns[-1]
        if same_turn and isinstance(last, AgentTurn) and last.acts:
            self.turns[-1] = last.replace(acts=(*last.acts, act), results=(*last.results, result))
        else:
            self.turns += [UserTurn(text="And?"), AgentTurn(acts=(act,), results=(result,))]
        self.order = [*(goal for goal in self.order if goal != act.goal), act.goal]
        self.now[act.goal] = Stacked(goal=act.goal, status=act.status, code=code, result=result)

    @rule(goal=GOALS, code=CODES, status=st.sampled_from(["drafting", "final", "abandoned"]), same=st.booleans())
    def a_program_is_written_or_refused(self, goal, code, status, same):
        act = program(goal, status, code)
        if goal in self.order and goal not in self.drafts():
            with pytest.raises(StackError, match="cannot be revised"):
                stack([*self.turns, AgentTurn(acts=(act,))])
        else:
            self.write(act, code, same)

    @precondition(lambda self: self.drafts())
    @rule(data=st.data(), blank=BLANK, status=st.sampled_from(["drafting", "final", "abandoned"]), same=st.booleans())
    def a_program_without_code_is_the_draft_as_it_stands(self, data, blank, status, same):
        goal = data.draw(st.sampled_from(self.drafts()))
        self.write(program(goal, status, blank), self.now[goal].code, same)

    @rule(goal=GOALS, blank=BLANK, status=st.sampled_from(["drafting", "final", "abandoned"]))
    def without_a_draft_there_is_nothing_that_stands(self, goal, blank, status):
        if goal not in self.order:
            with pytest.raises(StackError, match="no draft"):
                stack([*self.turns, AgentTurn(acts=(program(goal, status, blank),))])

    @rule()
    def words_and_calls_leave_the_stack_alone(self):
        self.turns += [AgentTurn(acts=(Call(api="list_buckets"),)), AgentTurn(text="Which one?"), UserTurn(text="All.")]

    @invariant()
    def the_stack_is_the_models(self):
        assert stack(self.turns) == tuple(self.now[goal] for goal in reversed(self.order))

    @invariant()
    def turns_that_are_completed_make_the_same_stack_and_lack_no_code(self):
        whole = completed(self.turns)
        assert stack(whole) == stack(self.turns)
        assert completed(whole) == whole
        acts = [act for turn in whole if turn.role == "agent" for act in turn.acts if act.kind == "program"]
        assert all(act.code.strip() for act in acts)


TestTheStack = TheStack.TestCase
TestTheStack.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_one_program_after_the_other_is_the_same_as_all_at_once():
    acts = [program("1", "drafting", "a"), program("2", "drafting", "b"), program("1", "final"), program("2", "final")]
    step_by_step = ()
    for act in acts:
        step_by_step = put(step_by_step, act)
    assert step_by_step == stack([AgentTurn(acts=tuple(acts))])
    assert [(one.goal, one.code) for one in step_by_step] == [("2", "b"), ("1", "a")]


def test_the_error_says_which_goal_and_where_and_survives_a_trip_to_another_process():
    turns = [AgentTurn(acts=(program("7", "final", "return 1"),)), UserTurn(), AgentTurn(acts=(program("7", "final"),))]
    with pytest.raises(StackError, match=r"goal '7' \(turn 2, act 0\) is final or abandoned") as caught:
        stack(turns)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.goal, error.turn, error.act) == ("7", 2, 0)
    assert isinstance(error, UserError)
