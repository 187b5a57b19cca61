"""Reports: runs beside each other, as a page, as tables for the terminal, as JUnit XML.

Everything is rendered from a `view.Report`. Contract: a page loads nothing and runs no script; what comes from data is
escaped, and legible: it cannot steer a terminal, break XML, or turn the reading direction. Files take their place in
one step. Nothing is graded again for a picture of what the scores say.

Example:
    >>> import tempfile, pathlib
    >>> from toologue.report.page import write_page
    >>> from toologue.report.view import Report
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> write_page(file, Report(title="Monday's <runs>", runs=()))
    >>> "<title>Monday&#39;s &lt;runs&gt;</title>" in file.read_text()
    True

Not covered: pages over several files; languages other than English; judging words, which stand side by side for people.
"""
