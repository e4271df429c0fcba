"""What README and docs show is run: commands, Python, case files, links, generated pages."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from loligo.cases.read import read

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language):
    """Return the fenced blocks of one language, page by page, in the order of the page."""
    found = {}
    for page in PAGES:
        texts = [text for name, text in BLOCK.findall(page.read_text()) if name == language]
        if texts:
            found[page.relative_to(ROOT).as_posix()] = texts
    return found


def test_generated_pages_are_fresh():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        assert (ROOT / "docs" / name).read_text() == page(), f"{name} is stale: run `make docs`"


@pytest.mark.parametrize("page", blocks("python"))
def test_python_blocks_run(page, tmp_path):
    """The Python of a page is one program, from top to bottom."""
    program = "\n".join(blocks("python")[page])
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", blocks("toml"))
def test_case_files_are_valid(page, tmp_path):
    """A TOML block with a title is a whole case; any other at least parses."""
    for number, text in enumerate(blocks("toml")[page]):
        if "title" in tomllib.loads(text):
            file = tmp_path / f"case{number}.toml"
            file.write_text(text)
            read(file)


@pytest.mark.parametrize("page", blocks("console"))
def test_commands_run(page, tmp_path):
    """Lines `$ loligo ...` run in order in one folder, and end as the page says or with 0."""
    for text in blocks("console")[page]:
        for line in re.findall(r"^\$ (?:\./)?(loligo .*)$", text, re.MULTILINE):
            command, _, expected = line.partition("  # exit code ")
            script = f'loligo() {{ "{sys.executable}" -m loligo.cli.main "$@"; }}; {command}'
            done = subprocess.run(
                ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == int(expected or 0), f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
