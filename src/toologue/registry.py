"""Names to things: the one place where strings name modules. Plugins add names through entry points.

A name stands for "module:attribute", imported when it is first asked for, so that nothing heavy loads early. Built-ins
come first; a plugin registers under the entry-point group `toologue.<kind>`, for example

    [project.entry-points."toologue.agent"]
    mine = "my_package.agents:MINE"

Example:
    >>> find("world", "assistant").apis[0].domain
    'AccountTools'

Not covered: removing a name.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from toologue.errors import BadSetting, UnknownName

_PROVIDERS = """
alibaba anthropic azure azure-responses cerebras crusoe deepseek fireworks github-copilot google google-cloud groq
heroku litellm meta moonshotai nebius ollama openai openai-chat openai-responses openrouter ovhcloud sambanova
snowflake together vercel vllm zai
"""
_BUILT_IN: dict[str, dict[str, str]] = {
    "agent": {
        "altered": "toologue.mutate.calls:altered_agent",
        "bag_of_words": "toologue.agents.baselines:bag_of_words_agent",
        "callable": "toologue.agents.callable:callable_agent",
        "thread": "toologue.agents.callable:thread_agent",
        "function_calling": "toologue.agents.llm.function_calling:function_calling_agent",
        "gold": "toologue.agents.agent:gold_agent",
        "json_action": "toologue.agents.llm.json_action:json_action_agent",
        "misstep": "toologue.mutate.steps:misstep_agent",
        "predictions": "toologue.agents.predictions:predictions_agent",
        "procedure": "toologue.agents.procedure:procedure_agent",
        "procedure_careless": "toologue.agents.procedure:procedure_careless_agent",
        "program_stack": "toologue.agents.llm.program_stack:program_stack_agent",
        "regex_slots": "toologue.agents.baselines:regex_slots_agent",
        "retrieve": "toologue.agents.retrieve:retrieve_agent",
        "talm": "toologue.agents.llm.talm:talm_agent",
        "top_api": "toologue.agents.baselines:top_api_agent",
    },
    "benchmark": {
        "almita": "toologue.bench.almita:ALMITA",
        "dialog2api": "toologue.bench.dialog2api:DIALOG2API",
        "tooldial": "toologue.bench.tooldial:TOOLDIAL",
        "tooltalk": "toologue.bench.tooltalk:TOOLTALK",
    },
    "embedder": {
        "endpoint": "toologue.models.endpoint:endpoint",
        "lexical": "toologue.models.lexical:lexical",
        "minilm": "toologue.models.minilm:minilm",
    },
    "metric": {
        "actions": "toologue.score.actions:actions",
        "adherence": "toologue.score.adherence:adherence",
        "calls": "toologue.score.calls:calls",
        "faithfulness": "toologue.score.faithfulness:faithfulness",
        "outcome": "toologue.score.outcome:outcome",
        "overall": "toologue.score.actions:overall",
        "programs": "toologue.score.programs:programs",
        "reward": "toologue.score.reward:reward",
        "states": "toologue.score.states:states",
        "steps": "toologue.score.steps:steps",
    },
    "model": {name: f"toologue.models.client:{name}" for name in _PROVIDERS.split()},
    "similarity": {
        "endpoint": "toologue.models.similarity:ENDPOINT",
        "exact": "toologue.models.similarity:EXACT",
        "lexical": "toologue.models.similarity:LEXICAL",
        "minilm": "toologue.models.similarity:MINILM",
        "one": "toologue.models.similarity:ONE",
        "vectors": "toologue.models.similarity:Vectors",
    },
    "user": {
        "graph": "toologue.users.graph:graph_user",
        "scenario": "toologue.users.scenario:scenario_user",
    },
    "world": {
        "assistant": "toologue.worlds.assistant:ASSISTANT",
        "crud": "toologue.worlds.crud.simulator:CRUD",
        "documented": "toologue.worlds.documented:DOCUMENTED",
        "none": "toologue.worlds.world:NONE",
        "observed": "toologue.worlds.recorded:OBSERVED",
        "programs": "toologue.worlds.programs:PROGRAMS",
        "recorded": "toologue.worlds.recorded:RECORDED",
        "s3": "toologue.worlds.s3:KIND",
        "s3_programs": "toologue.worlds.s3.simulator:S3_PROGRAMS",
        "tau2": "toologue.worlds.tau2:TAU2",
    },
}
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("toologue.cli.demo:demo", "The shipped example, offline: a table, and a page to open."),
    "apis": ("toologue.cli.apis:documents", "What API documents describe, and one apis.jsonl of it."),
    "world": ("toologue.cli.world:world", "Whether an API document becomes a world with state, and what it lacks."),
    "graph": ("toologue.cli.graph:graph", "The API graph: which output of one API another can take."),
    "init": ("toologue.cli.project:init", "A project of your own: procedures, API documents, an agent."),
    "test": ("toologue.cli.project:run_stages", "Every stage of a project, and its gate."),
    "plan": ("toologue.cli.plan:plan", "What conversations shall be about, before anybody finds words."),
    "generate": (
        "toologue.cli.generate:generate",
        "Verified conversations from procedures, or over chains of APIs, with their statistics.",
    ),
    "write": ("toologue.cli.write:write", "Words for plans, by templates or by a model."),
    "verify": ("toologue.cli.write:verify", "Whether conversations are valid: acts done again, values looked up."),
    "import": ("toologue.cli.exchange:importing", "Suites of others as conversations: tau2-bench."),
    "export": ("toologue.cli.exchange:export", "Dialogues as training data, in the formats of others."),
    "chat": ("toologue.cli.chat:chat", "Talk to an agent in a world, and see what it does."),
    "show": ("toologue.cli.show:show", "Conversations with executed results, for those who write them."),
    "run": ("toologue.cli.run:run", "Run an agent through dialogues, into a folder that can be resumed."),
    "score": ("toologue.cli.run:score", "Grade a run folder."),
    "report": ("toologue.cli.run:report", "One page, and JUnit XML, of one or more run folders."),
    "compare": (
        "toologue.cli.compare:compare",
        "Two runs, or a project and its baseline: what broke, what was mended.",
    ),
    "judge": (
        "toologue.cli.review:judge",
        "How far judges agree with people; how good conversations are.",
    ),
    "review": ("toologue.cli.review:review", "Decide by keys what rules leave open, or what was generated."),
    "read": ("toologue.cli.read:read", "Conversations of several sources read blind, and what readers come to."),
    "bench": ("toologue.cli.bench:bench", "Run and grade a published benchmark."),
    "prove": ("toologue.cli.bench:prove", "Prove that gold passes, and that wrong agents are caught."),
    "list": ("toologue.cli.list:show", "What is registered; `list schema` prints the JSON Schema of all files."),
}
"""The commands: where each lives, and its line in the help."""

KINDS = tuple(_BUILT_IN)


def names(kind: str) -> list[str]:
    """The registered names of a kind, sorted."""
    return sorted(_table(kind))


@cache
def find(kind: str, name: str) -> Any:
    """The thing that a registered name stands for. Raises UnknownName with the nearest names."""
    table = _table(kind)
    if name not in table:
        raise UnknownName(kind, name, table)
    return load(table[name])


def load(reference: str) -> Any:
    """Import "module:attribute"."""
    module, _, attribute = reference.partition(":")
    try:
        if module.startswith("."):
            raise ImportError("a relative name has nothing to be relative to")
        thing: Any = import_module(module)
        for step in attribute.split("."):
            thing = getattr(thing, step)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadSetting(f"cannot load {reference!r}: {error}; give module:attribute, importable from here") from error
    return thing


@cache
def _table(kind: str) -> dict[str, str]:
    from importlib.metadata import entry_points

    plugins = {point.name: point.value for point in entry_points(group=f"toologue.{kind}")}
    return plugins | _BUILT_IN[kind]
