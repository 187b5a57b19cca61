"""Procedure: the interpreter of a support procedure, shared by agent, customer and grader, owned by none of them."""
