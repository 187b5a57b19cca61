"""Interpreter of a support procedure, shared by agent, customer and grader, owned by none of them.

    flowgraph            procedure -> graph of what the agent does and what comes back (ALMITA 3.4), and its rules
    conversation_graph   flowgraph -> graph of messages and calls (ALMITA 3.5), and its rules
    course               flowgraph, documents and slots of a brief; where a conversation stands in them
    slot_values          values of slots in a customer's words
    answers              what a customer's words do to where a conversation stands
    follower             replays a history along a course, and says what comes next
    grammar              the words of a step, turned to the customer

Contract: a function of the procedure, the documents and the history; no model but a similarity of texts.

Example:
    >>> from toologue.models.similarity import similarity
    >>> from toologue.procedure.course import course_of
    >>> from toologue.procedure.follower import Follower
    >>> from toologue.schema import AgentTurn, Brief, UserTurn
    >>> course = course_of(Brief(instructions='''# Hello
    ... 1. **Ask** whether they are well.
    ...    - Yes: go to 2.
    ...    - No: go to 3.
    ... 2. **End**: say that we are glad.
    ... 3. **End**: say that we are sorry.
    ... '''))
    >>> follower = Follower(course, similarity("lexical"))
    >>> follower.read([UserTurn(text="Hi")])
    Move(kind='ask', why='')
    >>> follower.words()
    'Are you well?'
    >>> follower.read([UserTurn(text="Hi"), AgentTurn(text="How are you? Well?"), UserTurn(text="No.")])
    Move(kind='end', why='')
    >>> follower.words()
    'We are sorry.'

Not covered: procedures in other languages than English; two corrections in one message.
"""
