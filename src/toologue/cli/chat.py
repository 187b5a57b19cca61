"""`toologue chat`: a person talks to an agent in a world."""

from __future__ import annotations

from pathlib import Path

from toologue.cli.options import Operations


def chat(
    *,
    world: str = "assistant",
    agent: str = "retrieve",
    data: Path | None = None,
    overlay: Path | None = None,
    operations: Operations = Operations(),
    procedures: Path | None = None,
    instructions: Path | None = None,
    transcript: Path | None = None,
    explain: bool = False,
    yes: bool = False,
    seed: int = 0,
) -> None:
    """Talk to an agent in a world: its programs, what they came to, and the stack are shown as they come.

    What would delete or write over something, or waits for a yes by its document, is shown first, and done only if you
    agree. /stack, /help and /quit are for the chat; a chat can be piped: `printf 'Which alarms are set?\\n' | toologue
    chat`. Of piped lines only a yes or no answers such a question; any other line is a no, and said to the agent.

    Args:
        world: assistant, s3, a service that ships (shop, bank, …), an OpenAPI document or a world of yours
            (module:Class).
        agent: retrieve (no model), program_stack:openai:NAME (programs), … or module:attribute.
        data: What the world holds at the start: an account for s3, a seed for a service.
        overlay: What an OpenAPI document does not say of its world (docs/your-api.md).
        operations: Which operations of it there are; by default all that can be read.
        procedures: A procedure that the agent has to keep to, or a folder of them (*.md).
        instructions: A file of prose that it has to keep to.
        transcript: A dialogues.jsonl that the chat is added to, after every answer. `toologue prove FILE` and `toologue
            run FILE --agent ... --out RUN` take it as a test.
        explain: Show why the agent drafted, finalised or asked.
        yes: Do not ask before something is deleted or written over.
        seed: Seeds the agent.
    """
    from toologue.agents.agent import resolve_agent
    from toologue.cli.chatting import OPENING, Chat, Transcript, policy, say_line
    from toologue.schema import AgentTurn, Dialogue, UserTurn
    from toologue.worlds.named import place_of

    place, saved = place_of(world, data, overlay, operations.choice), Transcript(transcript)
    told = policy(procedures, instructions)
    start = Dialogue(
        id=saved.name,
        instructions=told,
        facts=place.case("").brief.facts,
        world=place.setting,
        turns=(AgentTurn(text=OPENING), UserTurn()),
        origin={"line": "programs", "writer": "chat", "agent": agent},
    )
    case = place.case(start.id, seed, start, told)
    talk = Chat(case, resolve_agent(agent), start, saved, simulated=place.simulated, asks=not yes, explain=explain)
    try:
        talk.run()
    finally:
        if transcript is not None:
            say_line(saved.said(), "dim")
