"""The command `loligo`: finds the verb, and turns what goes wrong into a message and a code.

Exit codes: 0 done, 2 bad input or a package that is not installed, 3 stopped before the end with
everything so far kept, 4 a 3D solution that cannot go on, with that kept, too, or a comparison that
fails its acceptance, 5 a comparison whose data do not show whether the acceptance is met, 130
interrupted. Anything else is a fault of loligo and ends with a traceback and code 1.
"""

from __future__ import annotations

import importlib
import io
import keyword
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

with suppress(ValueError):  # not of the main thread: whoever imports has Ctrl-C in hand
    _on_interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback from the imports

import typer
from typer.core import TyperGroup

from loligo.hpc.launcher import launched_ranks

with suppress(ValueError, NameError):
    signal.signal(signal.SIGINT, _on_interrupt)

VERBS = (
    "calibrate",
    "cases",
    "check",
    "compare",
    "doctor",
    "export",
    "import",
    "map",
    "mesh",
    "plan",
    "reduce",
    "report",
    "robot",
    "section",
    "show",
    "solve",
    "study",
    "view",
)

_DOLFINX = (
    "make one of the environments of the README: in a clone `./loligo` does it, or conda from "
    "hpc/env/environment.yml"
)
_CAPTURE = "in a clone pip install '.[capture]', or `./loligo`, which brings all packages along"
_MESHES = "in a clone pip install '.[meshes]', or `./loligo`, which brings all packages along"
PACKAGES = {
    **dict.fromkeys(
        ("dolfinx", "ufl", "basix", "ffcx", "petsc4py", "slepc4py", "mpi4py"), _DOLFINX
    ),
    "ezc3d": _CAPTURE,
    **dict.fromkeys(("gmsh", "meshio", "pyvista", "vtk", "vtkmodules"), _MESHES),
}
"""Packages that not every installation has, and how each is had."""

_VERB = "loligo.verb"
"""Name of the verb in a command's context."""

PARALLEL = ("doctor", "section", "solve")
"""Verbs that use MPI, which starts on all ranks or none; rank 0 speaks for them."""


class _Verbs(TyperGroup):
    """Imports a verb's module when the verb is called, so that every command starts fast."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name the verbs."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the verb; None if there is no such verb."""
        if cmd_name not in VERBS:
            return None
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command = typer.main.get_command(importlib.import_module(f"loligo.cli.{module}").app)
        command.name = cmd_name
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Note which verb it is."""
        ctx.meta[_VERB] = next((word for word in args if not word.startswith("-")), "")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Call the verb; an exception on one rank of a parallel verb ends all ranks."""
        try:
            return super().invoke(ctx)
        except BaseException as error:
            if ctx.meta.get(_VERB) in PARALLEL and getattr(error, "exit_code", 1) != 0:
                _end_all_ranks(error)
            raise


def _end_all_ranks(error: BaseException) -> None:
    """End all ranks, or return where each can leave with its own exception.

    MPI is started for it if need be: the other ranks have started it, or fail alike.
    """
    if launched_ranks().size > 1 or "mpi4py.MPI" in sys.modules:
        with suppress(ImportError):
            from mpi4py import MPI

            from loligo.fem.io.ranks import end_all

            end_all(MPI.COMM_WORLD, error)


app = typer.Typer(
    cls=_Verbs,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"loligo {version('loligo')}")
        raise typer.Exit


@app.callback()
def _loligo(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """How wrong is your reduced soft-robot model? The 3D finite-element companion that tells.

    Start with [bold]loligo doctor[/] and [bold]loligo cases[/].
    """


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # not of the main thread
            signal.signal(signal.SIGINT, _interrupt)
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # before the verb begins, which has its own way to stop
        sys.exit(130)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Answer Ctrl-C; in the midst of an import end at once, since compiled code may stumble."""
    while frame is not None:
        if "importlib._bootstrap" in frame.f_code.co_filename:
            os._exit(130)
        frame = frame.f_back
    raise KeyboardInterrupt


def _run(arguments: list[str] | None) -> Any:
    from loligo.cases.core.record import BadInput

    launched = launched_ranks()
    if launched.rank > 0:
        if set(PARALLEL) & set(arguments or sys.argv):
            sys.stdout = sys.stderr = open(os.devnull, "w")
        elif launched.by_mpi:
            return None  # the other verbs work on one process; under mpirun that is rank 0
    for stream in (sys.stdout, sys.stderr):  # a file's text may hold bytes that are no character
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(args=arguments, prog_name="loligo")
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package not in PACKAGES:
            raise
        typer.secho(
            f"error: this needs the package {package}, which cannot be imported here ({error}): "
            f"{PACKAGES[package]}. Without it cases, check, show, reduce, compare, calibrate, "
            "report, robot and import of other files work",
            err=True,
        )
        sys.exit(2)
    except BadInput as error:
        typer.secho(f"error: {error}", err=True)
        sys.exit(2)
    except OSError as error:  # a folder that cannot be written, a full disk
        typer.secho(f"error: {error.filename or 'output'}: {error.strerror or error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
