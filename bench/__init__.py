"""What the hot paths cost: each measured beside a plain alternative, in one run. `python -m bench` runs them all."""
