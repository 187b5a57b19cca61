"""Write: words for plans, by templates or by a language model, and near-duplicates among texts.

    procedures          TemplateWriter, offline: phrase banks, and the words of the procedure taken apart
    model               ModelWriter, for the same plans
    direct_generation   whole conversations by a model, without graphs: the paper's ablation (ALMITA 4.2)
    duplicates          texts that nearly repeat an earlier one
    chains              words for chains of APIs

Contract: a writer replaces the text of every turn that speaks, and nothing else; `origin` gets the writer and the
registers. One plan and one seed give one dialogue by templates. A plan whose turns and cues do not belong together, or
that shows a value it does not have, raises BadSetting.

Example:
    >>> from toologue.schema import AgentTurn, Cue, Dialogue, Plan, UserTurn
    >>> from toologue.write.procedures import TemplateWriter
    >>> plan = Plan(dialogue=Dialogue(id="late-1", turns=(UserTurn(), AgentTurn())),
    ...     cues=(Cue(move="open", text="My parcel is late."), Cue(move="ask", text="for the order number.")))
    >>> told = TemplateWriter(customer="annoyed", agent="brief").words(plan)
    >>> print(*(turn.text for turn in told.turns), sep="\\n")
    My parcel is late.
    Let me have a look. I need the order number, please.

Not covered: languages other than English; a register that changes within a conversation; "one moment, please".
"""
