"""The entries: what is typed, one command after the other, in a folder where only the inputs of `in/` lie.

A `*` is globbed. `{shared}` is the folder of published data; without it the entries that need it are skipped, loudly.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

SERVICES = ("airline", "bank", "clinic", "shop", "telecom")
SOURCES = "in/rapidapi.jsonl in/shop.yaml in/bank.yaml in/airline.yaml in/clinic.yaml"
THREE = "return-an-item travel-vaccination unknown-card-payment"
MODES = ("fixed", "published")
FORMS = ("openai", "sharegpt", "hf", "tooldial")


class Entry(NamedTuple):
    """Commands, and whether they are cheap enough to run with the tests."""

    commands: tuple[str, ...]
    quick: bool = False


def _bench(name: str, agents: tuple[str, ...], mode: str, more: str = "") -> Iterator[str]:
    for agent in agents:
        pages = f"--html {agent}.html --junit {agent}.xml" if agent != "gold" else ""
        yield f"bench {name} {more} --agent {agent} --mode {mode} --json {agent}.json {pages}"
    yield f"prove {name} {more} --mode {mode} --json prove.json"


def _exports(dialogues: str) -> tuple[str, ...]:
    return tuple(f"export {dialogues} --to {form} -o {form}.jsonl" for form in FORMS)


def _chains(apis: str, more: str) -> tuple[str, ...]:
    """The stages of the chains line, each by itself."""
    return (
        f"apis {apis} -o apis.jsonl --describe template",
        "graph build apis.jsonl -o graph.jsonl --workers 1",
        "graph check graph.jsonl apis.jsonl -o checked.jsonl --sample 40",
        "graph show graph.jsonl",
        f"plan chains graph.jsonl apis.jsonl --checked checked.jsonl -o plans.jsonl --count 120 {more}",
        "write plans.jsonl -o dialogues.jsonl",
        "verify dialogues.jsonl --json flaws.json",
    )


_TOOLTALK = ("gold", "retrieve", "top_api", "altered:drop")
_ALMITA = ("gold", "retrieve", "procedure", "procedure_careless")
_CHAINS = f"generate chains {SOURCES} --count 300 --most 0.2 -o chains"

ENTRIES: dict[str, Entry] = {
    "list": Entry(("list", "list agent", "list schema", "--help", "bench --help"), quick=True),
    "mistakes": Entry(
        (
            "nonsense",
            "bench toltalk --agent gold",
            "bench tooltalk",
            "run missing.jsonl --agent gold -o out",
            "graph show x",
        ),
    ),
    "demo-procedures": Entry(("demo",)),
    "demo-tools": Entry(("demo --line tools",)),
    "demo-chains": Entry(("demo --line chains",)),
    "demo-programs": Entry(("demo --line programs",)),
    "project": Entry(
        (
            "init mine",
            "test mine --html mine.html --junit mine.xml",
            "test mine --agent procedure --agent gold --fail-under 1",
        ),
        quick=True,
    ),
    **{f"apis-{name}": Entry((f"apis in/{name}.yaml -o apis.jsonl",)) for name in (*SERVICES, "bicycles")},
    "apis-rapidapi": Entry(
        ("apis in/rapidapi.jsonl -o apis.jsonl", f"apis {SOURCES} --describe template -o described.jsonl"), quick=True
    ),
    "apis-procedures": Entry(("apis in/return-an-item.md in/repeat-prescription.md -o apis.jsonl",)),
    "apis-published": Entry(
        (
            "apis {shared}/tooldial/augmented_400.jsonl.gz -o augmented.jsonl",
            "apis {shared}/tooldial/rapidapi_aug1308.jsonl.gz -o rapidapi.jsonl",
            "apis {shared}/tooltalk/tool_docs.json -o tooltalk.jsonl",
        )
    ),
    "apis-openapi-published": Entry(
        tuple(
            f"apis {{shared}}/openapi/{name}.gz -o {name}.jsonl"
            for name in (
                "oai_petstore.yaml",
                "oai_uspto.yaml",
                "petstore.yaml",
                "oai_link-example.yaml",
                "intercom.yaml",
            )
        )
    ),
    "graph": Entry(
        (
            f"graph build {SOURCES} -o best.jsonl",
            f"graph build {SOURCES} -o published.jsonl --rules published --workers 1",
            f"graph check published.jsonl {SOURCES} -o checked.jsonl --sample 100",
            "graph show best.jsonl",
            f"graph show best.jsonl --apis {SOURCES} --why 'Sports|league|Leagues' 'Sports|league|League Table'",
            "graph show best.jsonl --api 'Finance|ticks|Quote'",
        ),
    ),
    "plan-procedures": Entry(
        (
            f"plan procedures {THREE} --count 4 -o cover.jsonl",
            f"plan procedures {THREE} --count 4 --sampler weighted --mode published --noise 0.5 -o weighted.jsonl",
            "plan procedures in/broken-bicycle.md --service in/bicycles.yaml --sampler vanilla -o vanilla.jsonl",
            "write weighted.jsonl -o dialogues.jsonl --seed 1",
            "verify dialogues.jsonl --json flaws.json",
        ),
    ),
    "plan-graphs": Entry(
        tuple(
            f"plan graph {name} {form}"
            for name, form in product(
                ("flight-cancelled", "in/broken-bicycle.md"), ("", "--mermaid", "--flow --mermaid")
            )
        )
    ),
    "plan-paths": Entry(
        (
            "plan paths -o cover.jsonl",
            "plan paths --sampler weighted --count 20 --goal edges -o weighted.jsonl",
            "plan paths --sampler vanilla --count 20 --seed 2 -o vanilla.jsonl",
        )
    ),
    "plan-words": Entry(
        (
            "plan scenarios -o scenarios.jsonl",
            "plan scenarios --count 40 --seed 5 -o forty.jsonl",
            "plan lint 'Hello, could you please call ForecastWeather for Oslo?' in/queries.txt --json lint.json",
        ),
    ),
    "generate-procedures": Entry(
        (
            f"generate {THREE} --count 6 -o made",
            "verify made --json flaws.json",
            "prove made --json prove.json",
            *_exports("made"),
        )
    ),
    "generate-options": Entry(
        (
            f"generate {THREE} --count 6 --workers 2 --mode published --sampler weighted --seed 9 -o made",
            "generate in/hire-still-running.md --service in/bicycles.yaml --until 0.8 -o bicycles",
        ),
        quick=True,
    ),
    "generate-service": Entry(("generate telecom --count 3 -o made",)),
    "run-procedures": Entry(
        (
            "generate in/broken-bicycle.md --service in/bicycles.yaml --count 2 -o made",
            "run made/dialogues.jsonl --agent procedure --protocol live --user graph --trials 2 -o live",
            "run made/dialogues.jsonl --agent procedure_careless --protocol next -o next",
            "run made/dialogues.jsonl --agent gold -o gold",
            "score live",
            "score next --similarity exact",
            "report next gold --html page.html --junit junit.xml",
        ),
    ),
    "generate-chains": Entry(
        (_CHAINS, "verify chains", "prove chains/dialogues.jsonl --json prove.json", *_exports("chains"))
    ),
    "generate-chains-published": Entry(
        ("generate chains {shared}/tooldial/augmented_400.jsonl.gz --count 300 --most 0.1 -o chains",)
    ),
    "chains-stages": Entry(_chains(SOURCES, "--most 0.5 --know published --published-code")),
    "chains-stages-small": Entry(_chains("in/rapidapi.jsonl", "--most 1")),
    "chains-stages-published": Entry(_chains("{shared}/tooldial/augmented_400.jsonl.gz", "--most 0.1")),
    **{f"bench-tooltalk-{mode}": Entry(tuple(_bench("tooltalk", _TOOLTALK, mode))) for mode in MODES},
    "bench-dialog2api": Entry(
        (
            "bench dialog2api --agent gold --split test --json gold.json",
            "bench dialog2api --agent retrieve --split test --json retrieve.json --html retrieve.html",
            "prove dialog2api --gold --json prove.json",
            "bench dialog2api --agent gold --split train --mode published --json published.json",
        )
    ),
    "bench-dialog2api-statistics": Entry(("bench dialog2api --split test --json test.json",)),
    **{
        f"bench-almita-{mode}": Entry(
            ("generate return-an-item --count 2 -o made", *_bench("almita", _ALMITA, mode, "--data made"))
        )
        for mode in MODES
    },
    "bench-tooldial": Entry(
        (
            f"generate chains {SOURCES} --count 60 --most 0.5 -o chains",
            *_bench("tooldial", ("gold", "retrieve"), "fixed", "--data chains/dialogues.jsonl"),
            "bench tooldial --data chains/dialogues.jsonl --agent retrieve --labels none --json none.json",
        )
    ),
    "bench-tooltalk-published-data": Entry(
        tuple(
            f"bench tooltalk --data {{shared}}/tooltalk/data --agent {agent} --mode {mode} --json {agent}-{mode}.json"
            for agent, mode in product(("gold", "retrieve"), MODES)
        )
    ),
}
