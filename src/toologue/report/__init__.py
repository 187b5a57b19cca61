"""Reports: the same results as a terminal table, as one self-contained page, as JUnit XML."""
