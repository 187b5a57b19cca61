"""What `fixed` decides a turn by: the account after it, regions included, and values up to shape; else it is unsure."""

from __future__ import annotations

import pytest

pytest.importorskip("boto3")
pytest.importorskip("moto")

from toologue.agents.agent import AgentSpec, ScriptedAgent
from toologue.bench.benchmark import Options, evaluate, record
from toologue.bench.dialog2api import DIALOG2API, load
from toologue.bench.dialog2api.files import SHIPPED, executed, read_yaml
from toologue.bench.dialog2api.tables import tables
from toologue.loop import play
from toologue.schema import AgentTurn, Case, Dialogue, Program, Setting, Trace, UserTurn, rounds
from toologue.score.metric import best_of, totals
from toologue.score.programs import scores_of
from toologue.worlds.s3 import S3, signature
from toologue.worlds.world import make_world

NAMES = 'return [one["Name"] for one in s3.list_buckets()["Buckets"]]'
ROWS = 'return [{"name": one["Name"]} for one in s3.list_buckets()["Buckets"]]'
DATED = 'return [{"name": one["Name"], "made": str(one["CreationDate"])} for one in s3.list_buckets()["Buckets"]]'
COUNT = 'return len(s3.list_buckets()["Buckets"])'
REGIONS = 'return {"larkfield-office": "eu-central-1", "larkfield-sales": "eu-west-1"}'
PUT = 's3.put_object(Bucket="larkfield-scratch", Key="a", Body="x")'
DELETE = 's3.delete_object(Bucket="larkfield-scratch", Key="a")'


def conversation(*turns: list[str]) -> Dialogue:
    """Each turn of the user is answered by final programs."""
    found, uid = [], 0
    for codes in turns:
        acts = tuple(Program(goal=str(uid + n), status="final", code=code) for n, code in enumerate(codes, 1))
        uid += len(codes)
        found += [UserTurn(text="Please."), AgentTurn(acts=acts), AgentTurn(text="There.")]
    return Dialogue(id="d", world=Setting(name="s3"), turns=tuple(found))


def lived(gold: Dialogue, other: Dialogue) -> Trace:
    case = Case(id=gold.id, gold=gold, world=gold.world, protocol="recorded")
    turns, stop = play(case, ScriptedAgent([did for _, did in rounds(other.turns)]), make_world(case))
    return Trace(case="c", dialogue=gold.id, protocol="recorded", agent="it", turns=tuple(turns), stop=stop)


def judged(gold: list[str], other: list[str], mode="fixed"):
    """The score of a conversation of one turn, as (value, value if all that is unsure is right)."""
    told = executed(conversation(gold))
    score = scores_of(mode, told, lived(told, conversation(other)))["perfect dialogue"]
    return score.value, best_of(score)


RIGHT, WRONG, UNSURE = (1, 1), (0, 0), (0, 1)


@pytest.mark.parametrize(
    ("gold", "other", "verdict"),
    [
        ([NAMES], [ROWS], RIGHT),  # rows that carry the same leaves
        ([COUNT], ['return {"count": 5}'], RIGHT),
        ([COUNT], ['return "5"'], RIGHT),
        (['return ["a"]'], ['return "a"'], RIGHT),
        ([REGIONS], ['return [["larkfield-sales", "eu-west-1"], ["larkfield-office", "eu-central-1"]]'], RIGHT),
        ([REGIONS], ['return [{"b": "larkfield-office", "r": "eu-central-1"}, "larkfield-sales", "eu-west-1"]'], RIGHT),
        ([REGIONS], ['return {"larkfield-office": "eu-west-1", "larkfield-sales": "eu-central-1"}'], WRONG),
        ([REGIONS], ['return ["eu-central-1", "eu-west-1"]'], WRONG),
        (['return {"csv": 3, "txt": 4}'], ["return [3, 4]"], UNSURE),
        (['return "one\\ntwo\\n"'], ['return ["one", "two"]'], RIGHT),
        (['return ["a", "2025-05-19"]'], ['return {"key": "a", "date": "2025-05-19T10:00:00Z"}'], RIGHT),
        ([COUNT], ["return 6"], WRONG),
        ([COUNT], ["pass"], WRONG),
        ([NAMES], ["return []"], WRONG),
        ([COUNT], ['return "There are five buckets."'], UNSURE),  # words against a number
        ([REGIONS], ['return ["larkfield-office is in eu-central-1", "larkfield-sales in eu-west-1"]'], UNSURE),
        (["return False"], ['return "No, they differ."'], UNSURE),
        (['return ["a", "b"]'], ['return ["b", "a"]'], UNSURE),  # nobody knows whether the order was asked for
        ([NAMES], [DATED], UNSURE),  # more than was asked for
        (['return ["a", "b"]'], ['return [["a", "b"], "wrong"]'], WRONG),
    ],
)  # fmt: skip
def test_values_count_up_to_shape(gold, other, verdict):
    assert judged(gold, other) == verdict


@pytest.mark.parametrize(
    ("gold", "other", "verdict"),
    [
        ([COUNT], [NAMES, COUNT], RIGHT),
        ([PUT], [NAMES, PUT], RIGHT),
        ([PUT, COUNT], [f"{PUT}\n{COUNT}"], RIGHT),
        ([COUNT, 'return "x"'], ['return {"buckets": 5, "name": "x"}'], RIGHT),
        ([COUNT, 'return "x"'], ['return "x"'], WRONG),  # each of the gold's values must be there
        ([COUNT], ["return nmae", COUNT], RIGHT),  # what broke, and was made good
        ([COUNT], [COUNT, "return nmae"], WRONG),
        ([COUNT], [f"{PUT}\n{COUNT}"], WRONG),  # an account is never unsure
        ([PUT], ["pass"], WRONG),
        ([PUT], [f'{PUT}\nreturn "It is done."'], RIGHT),
        ([PUT, DELETE], ["pass"], RIGHT),
    ],
)
def test_how_many_programs_it_takes_does_not_count(gold, other, verdict):
    assert judged(gold, other) == verdict


def test_published_counts_programs_and_shapes_as_ever():
    assert judged([NAMES], [ROWS], "published") == WRONG
    assert judged([COUNT], [NAMES, COUNT], "published") == WRONG
    assert judged([COUNT], ['return "There are five."'], "published") == WRONG


def test_what_is_unsure_says_so_and_makes_a_bracket():
    gold = executed(conversation([COUNT], [NAMES]))
    scores = scores_of("fixed", gold, lived(gold, conversation(['return "There are five."'], [NAMES])))
    (told,) = scores["turn match"].at or scores["perfect dialogue"].at
    assert (told.verdict, told.by) == ("unsure", "value")
    found = {total.metric: (total.value, total.best) for total in totals(scores.values())}
    assert found["EMR"] == (0, 1)
    assert found["turn match"] == (0.5, 1)


def test_in_which_region_a_bucket_is_counts():
    """`published` leaves regions out of signatures (appendix B)."""
    here, there = S3(), S3()
    for world, region in ((here, "eu-west-1"), (there, "eu-west-2")):
        where = f'{{"LocationConstraint": "{region}"}}'
        run = make_world(Case(id="r", world=Setting(name="s3_programs"), protocol="recorded"))
        code = f's3.create_bucket(Bucket="larkfield-new", CreateBucketConfiguration={where})'
        world.rows = run.do(Program(goal="1", status="final", code=code)).changes
    assert here.rows["Account/signature"] == there.rows["Account/signature"]
    assert here.rows["Account/signature_fixed"] != there.rows["Account/signature_fixed"]
    assert signature(S3(), mode="fixed") == signature(S3(), mode="fixed") != signature(S3())


def test_a_program_that_returns_null_does_not_pass_for_a_bucket_in_another_region():
    gold = executed(read_yaml(SHIPPED / "test" / "create-unless-there-1.yaml"))
    at = next(n for n, turn in enumerate(gold.turns) if turn.role == "user" and "nothing in it" in turn.text) + 1
    idle = gold.turns[at].replace(acts=(gold.turns[at].acts[0].replace(code="pass"),))
    other = gold.replace(turns=(*gold.turns[:at], idle, *gold.turns[at + 1 :]))
    found = {mode: scores_of(mode, gold, lived(gold, other)) for mode in ("fixed", "published")}
    (told,) = found["fixed"]["EMR"].at
    assert (told.turn, told.why) == (at, "the account is another after it")
    assert found["published"]["perfect dialogue"].value == 1


def test_an_account_that_is_back_where_it_began_is_the_same_in_every_region():
    gold = 'return s3.get_bucket_location(Bucket="larkfield-scratch")["LocationConstraint"]'
    again = (
        's3.delete_bucket(Bucket="larkfield-scratch")\n'
        's3.create_bucket(Bucket="larkfield-scratch", CreateBucketConfiguration={"LocationConstraint": "REGION"})\n'
    )
    assert judged([gold], [again.replace("REGION", "ap-southeast-2") + gold]) == RIGHT
    assert judged([gold], [again.replace("REGION", "eu-west-1") + 'return "ap-southeast-2"']) == WRONG


class Careless:
    """Answers as the gold does, but for the first turn of programs, which writes what it should not."""

    def __init__(self, case):
        self.gold = case.gold

    async def act(self, history, brief):
        turn = self.gold.turns[len(history)]
        first = next(n for n, one in enumerate(self.gold.turns) if one.role == "agent" and one.acts)
        if len(history) != first:
            return turn.replace(results=())
        return turn.replace(acts=(turn.acts[0].replace(code=PUT),), results=())


def test_where_each_turn_begins_from_gold_a_mistake_counts_once(tmp_path):
    """A wrong write makes all later turns wrong, since the account is another; teacher-forced only its own is."""
    gold = load()[0]
    gold = executed(conversation([COUNT], [NAMES], [COUNT])).replace(origin=gold.origin)
    found = evaluate(DIALOG2API, [gold], [AgentSpec("careless", Careless, reads_gold=True)], options=Options())
    ((talk,), (code,)) = found["careless"].values()
    assert talk.scores["turn match"].value == 0
    assert code.scores["teacher-forced match"].counts == {"hits": 2, "of": 3}
    assert code.record["turns"] == [False, True, True]
    assert ["careless", 3, 2 / 3] in [row for table in tables(found) for row in table.rows]
    told = record(DIALOG2API, found)["agents"][0]["parts"][1]["totals"]["all"]["scores"]["teacher-forced match"]
    assert told["value"] == pytest.approx(2 / 3)
    assert told["counts"]["of"] == 3


def test_our_own_gold_keeps_the_conventions_of_the_prompt():
    """A read returns something, no error is hidden in a value, and what a program picks to write it names."""
    for gold in load():
        for turn in (turn for turn in gold.turns if turn.role == "agent"):
            for act, result in zip(turn.acts, turn.results, strict=True):
                if result is None or result.error is not None:
                    continue
                assert result.changes or result.value is not None, gold.id
                assert "error.response" not in act.code, gold.id
                picks = "list_" in act.code and ("copy_object" in act.code or "delete_" in act.code)
                assert isinstance(result.value, list | str) or not picks, gold.id
                assert not isinstance(result.value, dict) or not result.changes, gold.id
