"""The program ``templex``; its commands are in ``test_clean.py`` and ``test_diff.py``."""

from templex_scrapy.commands import program
from templex_scrapy.compiled import running


def test_without_a_command_it_says_what_there_is(capsys):
    assert [program.main(arguments) for arguments in (["-h"], [], ["store"])] == [0, 2, 2]
    assert capsys.readouterr().err.count("usage: templex clean IN ... -o OUT") == 3
    assert program.main(["--version"]) == 0
    assert capsys.readouterr().out == f"{running()}\n"
