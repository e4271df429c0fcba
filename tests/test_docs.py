"""What README and docs show is run, page by page, from top to bottom, in one folder a page."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from loligo.cases.case_file import read
from loligo.cases.robot.swimmer import load_robot

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page):
    """Return the fenced blocks of a page that can be run: pairs of language and text."""
    found = BLOCK.findall(page.read_text())
    return [(name, text) for name, text in found if name in ("python", "toml", "console")]


def test_generated_pages_are_fresh():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        assert (ROOT / "docs" / name).read_text() == page(), f"{name} is stale: run `make docs`"


def run(folder, *command, code=0):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{command[-1]}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", filter(blocks, PAGES), ids=lambda page: page.name)
def test_a_page_does_what_it_shows(page, tmp_path):
    """Python runs; TOML that begins with `# name.toml` is a file; `$ loligo ...` is run.

    A command may say how it ends: `$ loligo cases check bad.toml  # exit code 2`.
    """
    for language, text in blocks(page):
        if language == "python":
            run(tmp_path, sys.executable, "-c", text)
        elif language == "toml":
            file = tmp_path / text.split("\n", 1)[0].removeprefix("# ")
            assert file.suffix == ".toml", f"{page.name}: a TOML block begins with its file's name"
            file.write_text(text)
            if "course" in tomllib.loads(text):
                load_robot(str(file))
            elif "title" in tomllib.loads(text):
                read(file)
        else:
            for line in re.findall(r"^\$ (?:\./)?(loligo .*)$", text, re.MULTILINE):
                command, _, expected = line.partition("  # exit code ")
                shell = f'loligo() {{ "{sys.executable}" -m loligo.cli.main "$@"; }}; {command}'
                run(tmp_path, "bash", "-c", shell, code=int(expected or 0))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
