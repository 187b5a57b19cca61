"""Plans for the chains line: pairs of Apis, action sequences, what happens, and turns with all labels but no words.

    sequences              the 16 actions, the action graph, and the paper's 23 walks through it
    catalog, pairs, split  documents; which Api finds what another one needs; train, validation, test
    execute                the calls of a pair, executed
    agreeing, consistency  whether results agree with what was said
    planner, statistics    plans by the thousand; what a file of dialogues holds

Contract: functions of documents, edges and seeds; plans come in order, byte-equal at any number of workers. What cannot
become a conversation is counted by reason (`catalog.Reason`).

Example:
    >>> from toologue.plan.chains.pairs import Pair
    >>> pair = Pair("Leagues", "id", "Standings", "leagueId", "yeszero", "multi")
    >>> [sequence.key for sequence in pair.sequences()]
    ['11.4', '11.10', '11.13']

Not covered: words, which `write.chains` finds; several wishes in one conversation; chains of more than two calls.
"""
