"""Tables on a terminal, and on what only looks like one."""

import pytest

from loligo.cli.tables import of_numbers, show


@pytest.mark.parametrize("launched", [False, True])
def test_a_launcher_s_terminal_gets_no_colours(monkeypatch, capsys, launched):
    """Its output may go to a file, or through a pipe."""
    for name in ("PMIX_RANK", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    if launched:
        monkeypatch.setenv("PMIX_RANK", "0")
    monkeypatch.setenv("FORCE_COLOR", "1")  # stands for a terminal
    monkeypatch.setenv("TERM", "xterm")
    show(of_numbers("quantity"))
    assert ("\x1b[" in capsys.readouterr().out) != launched
