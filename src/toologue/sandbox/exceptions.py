"""The exceptions that a program may raise, by name. Host and jail import this: it needs the standard library alone."""

# What kind of talk this is (Dialog2API, appendix C).
CONVERSATIONAL = ("OutOfScopeRequestError", "AmbiguousRequestError", "ChitChat", "FAQ", "OverSpecificationError",
                  "EndDialog")  # fmt: skip
# The kind of all that are faults of the world.
SERVICE = "ClientError"
# What boto3 refuses before anything is asked: no ClientError.
OF_THE_CLIENT = "ParamValidationError"
