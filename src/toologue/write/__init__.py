"""The write stage: words for what a plan has settled."""
