"""What a scripted conversation of five tool calls costs here, in Inspect AI and in DeepEval.

python -m bench.peers [--with INTERPRETER] [--count 200]

Each is run and graded the ordinary way, in a process of its own: ours into a run folder with scores, Inspect's `eval`
of a task with a mock model into a log, DeepEval's `evaluate` of test cases whose calls a script has made. Tools that do
nothing, graders without a model, no network. CPU a conversation, imports left out: what `count` conversations cost more
than a tenth of them, the best of three, taken in turns.

INTERPRETER is one that has inspect-ai and deepeval (`pip install inspect-ai deepeval openai` into an environment of
their own); what it lacks is told and left out. Peers grade less: Inspect's scorer compares the last words, DeepEval's
metric the names and arguments of calls; ours executes them, compares effects, and explains. The mock's outputs say what
they cost, as counting their tokens would need the network.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

CALLS = [("lookup", {"key": f"k{number}"}) for number in range(5)]
QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_DISABLE_DOTENV": "1", "OPENAI_API_KEY": "none"}
ROOT = Path(__file__).parent.parent


def toologue(count: int) -> None:
    """Conversations of the starter set that have five calls, played by gold, graded by every metric."""
    from bench.workload import of_calls, varied
    from toologue.models.similarity import TextMatch
    from toologue.report.view import score_folder
    from toologue.run.store import Config, run_folder

    with tempfile.TemporaryDirectory() as folder:
        made = run_folder(f"{folder}/run", varied(of_calls(5, 5), count), Config(agent="gold"))
        score_folder(made, TextMatch.of("lexical"))


def inspect(count: int) -> None:
    """A mock model that calls a tool five times and answers, graded by its last words."""
    from inspect_ai import Task, eval  # pyright: ignore
    from inspect_ai.dataset import Sample  # pyright: ignore
    from inspect_ai.model import ModelOutput, ModelUsage, get_model  # pyright: ignore
    from inspect_ai.scorer import match  # pyright: ignore
    from inspect_ai.solver import generate, use_tools  # pyright: ignore
    from inspect_ai.tool import tool  # pyright: ignore

    @tool
    def lookup() -> Any:
        async def execute(key: str) -> str:
            """Look a key up.

            Args:
                key: What is looked up.
            """
            return "found"

        return execute

    def said(times: int) -> Any:
        for _ in range(times):
            steps = [ModelOutput.for_tool_call("mockllm/model", name, arguments) for name, arguments in CALLS]
            for step in (*steps, ModelOutput.from_content("mockllm/model", "done")):
                step.usage = ModelUsage()  # else the mock counts tokens by a vocabulary that it downloads
                yield step

    samples = [Sample(input="Look five keys up.", target="done", id=number) for number in range(1, count + 1)]
    task = Task(dataset=samples, solver=[use_tools(lookup()), generate()], scorer=match())
    model = get_model("mockllm/model", custom_outputs=said(count))
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(task, model=model, log_dir=folder, display="none", max_samples=1)
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1.0


def deepeval(count: int) -> None:
    """Test cases whose calls a script has made, graded by their names and arguments."""
    from deepeval import evaluate  # pyright: ignore
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig  # pyright: ignore
    from deepeval.metrics import ToolCorrectnessMetric  # pyright: ignore
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams  # pyright: ignore

    def called() -> list[Any]:
        return [ToolCall(name=name, input_parameters=arguments, output="found") for name, arguments in CALLS]

    cases = [
        LLMTestCase(input="Look five keys up.", actual_output="done", tools_called=called(), expected_tools=called())
        for _ in range(count)
    ]
    metric = ToolCorrectnessMetric(evaluation_params=[ToolCallParams.INPUT_PARAMETERS], async_mode=False)
    found = evaluate(
        cases,
        [metric],
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        async_config=AsyncConfig(run_async=False),
        cache_config=CacheConfig(write_cache=False),
    )
    assert all(result.success for result in found.test_results)


PEERS: dict[str, Callable[[int], None]] = {"toologue": toologue, "inspect": inspect, "deepeval": deepeval}


def main() -> int:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description="What a conversation costs elsewhere.")
    parser.add_argument("--with", dest="interpreter", default="", help="a Python that has inspect-ai and deepeval")
    parser.add_argument("--count", type=int, default=200, help="conversations")
    parser.add_argument("--only", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(_measured(PEERS[options.only], options.count), version(options.only.replace("inspect", "inspect-ai")))
        return 0
    found: dict[str, list[tuple[float, str]]] = {name: [] for name in PEERS}
    for _ in range(3):
        for name, known in found.items():
            interpreter = sys.executable if name == "toologue" else options.interpreter
            known += _apart(interpreter, name, options.count) if interpreter else []
    ours = min(found["toologue"])[0]
    for name, known in found.items():
        spent, release = min(known, default=(0, ""))
        times = f"{spent:8.2f} ms a conversation, {spent / ours:5.1f} times ours" if known else "SKIPPED: not there"
        print(f"{name:9} {release:9} {times}")
    return 0


def _measured(work: Callable[[int], None], count: int) -> float:
    work(count // 10)  # imports, and what is made once
    spent = list[float]()
    for size in (count // 10, count):
        start = time.process_time()
        work(size)
        spent.append(time.process_time() - start)
    return (spent[1] - spent[0]) * 1e3 / (count - count // 10)


def _apart(interpreter: str, name: str, count: int) -> list[tuple[float, str]]:
    """CPU milliseconds a conversation in a fresh process, and the version; nothing where the peer is not there."""
    command = (interpreter, __file__, "--only", name, "--count", str(count))
    environment = {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "src")))}
    with tempfile.TemporaryDirectory() as folder:  # a peer may leave files where it is
        done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"{name}: {(done.stderr.strip() or 'no output').splitlines()[-1][:200]}", file=sys.stderr)
        return []
    spent, release = done.stdout.splitlines()[-1].split()
    return [(float(spent), release)]


if __name__ == "__main__":
    sys.exit(main())
