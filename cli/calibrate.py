"""`loligo calibrate`: coefficients of models from data of bodies, of rubbers from pulls.

`loligo calibrate CASE...` is short for `loligo calibrate model CASE...`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from loligo.cli.arguments import Force
from loligo.cli.calibrate_model import model

if TYPE_CHECKING:
    from loligo.validation.fitting.rubber.coupon import Mode
    from loligo.validation.fitting.rubber.record import Calibration, Range


class _Implied(TyperGroup):
    """Takes `model` for granted where the first word is neither a command nor a call for help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the word in."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["model", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_Implied, add_completion=False, rich_markup_mode="rich")
app.command()(model)


@app.callback()
def calibrate() -> None:
    """Fit coefficients to data, and say how far they can be trusted.

    Example: [bold]loligo calibrate gong_bending_one --data mine.nc[/]
    """


@app.command()
def material(
    data: Annotated[
        str,
        typer.Argument(
            help='A CSV file with the columns "stretch", "stress [MPa]" (nominal) and "mode" '
            "(uniaxial, equibiaxial, pure_shear), or treloar for the table that comes along."
        ),
    ],
    law: Annotated[
        str, typer.Option(help="neo_hooke, mooney_rivlin, yeoh, ogden or gent.")
    ] = "yeoh",
    terms: Annotated[int, typer.Option(help="Terms of an Ogden law.")] = 3,
    up_to: Annotated[
        float | None, typer.Option(help="Use the data up to this stretch only.")
    ] = None,
    hold_out: Annotated[
        list[str] | None, typer.Option(help="A mode to predict, not to fit; may be repeated.")
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(help="Factor on a mode's residuals, as in uniaxial=2; may be repeated."),
    ] = None,
    relative: Annotated[
        bool | None,
        typer.Option(
            "--relative/--absolute",
            help="Divide each residual by the measured stress, as scatter between specimens asks "
            "for, or not, as a load cell's noise does; by default whichever is more likely by the "
            "residuals.",
            show_default=False,
        ),
    ] = None,
    by_mode: Annotated[
        bool,
        typer.Option("--by-mode", help="Bootstrap whole curves instead of blocks of points."),
    ] = False,
    replicates: Annotated[int, typer.Option(min=2, help="Refits of the bootstrap.")] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Of the bootstrap.")] = 0,
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write to.", file_okay=False)
    ] = Path(),
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Fit a law to pulls of a rubber; write its coefficients with intervals, and a picture.

    The TOML file begins with a rubber to copy into a case, where it still needs a density; below
    stand intervals, fitted range, stability, cautions and the hash of the data. Data and fits that
    are no rubber are refused, with the likely mistake.

    Example: [bold]loligo calibrate material treloar --law gent --hold-out equibiaxial[/]
    """
    from rich.console import Console

    from loligo.cases import outputs
    from loligo.cases.core import atomic as files
    from loligo.validation.fitting.rubber.calibration import calibrated, parted
    from loligo.validation.fitting.rubber.coupon import read_coupons
    from loligo.validation.fitting.rubber.laws import Law
    from loligo.validation.fitting.rubber.plot import draw
    from loligo.validation.fitting.rubber.treloar import treloar

    pulls = treloar() if data == "treloar" else read_coupons(Path(data))
    curves = parted(pulls, {_mode(word, "--hold-out") for word in hold_out or []}, up_to)
    chosen = Law(law, terms)  # type: ignore[arg-type]  # it checks the name
    outputs.check_folder(folder)
    written, picture = (folder / f"{Path(data).stem}_{law}{suffix}" for suffix in (".toml", ".svg"))
    read_files = [] if data == "treloar" else [Path(data)]
    rubber = outputs.table("a calibrated rubber", ("material", "calibration"))
    outputs.check(written, rubber, read_files, force=force)
    outputs.check(picture, outputs.DRAWING, read_files, force=force)
    with Console(stderr=True).status(f"fitting {law}, {replicates} times"):
        found, result = calibrated(
            chosen,
            curves,
            weights=_weights(weight or []),
            relative=relative,
            by="mode" if by_mode else "block",
            replicates=replicates,
            seed=seed,
        )
    files.replace(written, result.to_toml())
    with files.aside(picture) as beside:
        draw(found, curves.fitted, curves.held_out, result, beside)
    if as_json:
        typer.echo(result.model_dump_json(indent=2, exclude_none=True))
        return
    _print(result)
    typer.echo(written)
    typer.echo(picture)


def _mode(word: str, option: str) -> Mode:
    from loligo.cases.core.record import BadInput
    from loligo.validation.fitting.rubber.coupon import mode_of

    try:
        return mode_of(word)
    except BadInput as error:
        raise BadInput(f"{option}: {error}") from None


def _weights(words: list[str]) -> dict[Mode, float]:
    from loligo.cases.core.record import BadInput

    weights = {}
    for word in words:
        name, _, number = word.partition("=")
        try:
            weights[_mode(name, "--weight")] = float(number)
        except ValueError as error:
            reason = error if isinstance(error, BadInput) else f"{number!r} is no number"
            raise BadInput(f"--weight {word}: {reason}; as in uniaxial=2") from None
    return weights


def _print(result: Calibration) -> None:
    from loligo.cli.tables import of_numbers, show

    condition = "not finite" if result.condition is None else f"{result.condition:.3g}"
    typer.echo(
        f"{result.energy}, {result.points} points; the intervals are 95 %; condition number "
        f"{condition}"
    )
    typer.echo(f"{_weighting(result)}\n")
    intervals = of_numbers("coefficient", "value", "unit", "tangent", "profile", "bootstrap")
    for c in result.coefficients:
        factor, unit = _prefix(c.value, c.unit)
        ranges = (_words(r, factor) for r in (c.wald, c.profile, c.bootstrap))
        intervals.add_row(c.name, f"{c.value / factor:.4g}", unit, *ranges)
    show(intervals)
    typer.echo()
    fits = of_numbers("mode", "points", "stretch", "rms (kPa)", "of stress", "stable")
    stable = {s.mode: f"{s.smallest:.3g} to {s.largest:.3g}" for s in result.stability}
    for curve in result.curves:
        fits.add_row(
            curve.mode.replace("_", " ") + ("" if curve.fitted else ", held out"),
            str(curve.points),
            f"{curve.smallest_stretch:.3g} to {curve.largest_stretch:.3g}",
            "beyond" if curve.rms is None else f"{curve.rms / 1e3:.4g}",
            "reach" if curve.relative_rms is None else f"{curve.relative_rms:.1%}",
            stable[curve.mode],
        )
    show(fits)
    for caution in result.cautions:
        typer.echo(f"caution: {caution.text}")


def _weighting(result: Calibration) -> str:
    """Say which residuals were taken, and why."""
    because = {
        "absolute": "the same error at every point",
        "relative": "an error in proportion to the stress",
    }[result.residual]
    text = f"{result.residual} residuals, right for {because}"
    if (why := result.weighting) is None:
        return text
    other = "absolute" if result.residual == "relative" else "relative"
    ahead = why.log_likelihood_ahead
    by = "" if ahead is None else f" by {ahead:.3g} in the log-likelihood"
    factor, unit = _prefix(why.other_shear_modulus, "Pa")
    return (
        f"{text}: more likely{by}; --{other} leads to an initial shear modulus of "
        f"{why.other_shear_modulus / factor:.4g} {unit}"
    )


def _prefix(value: float, unit: str) -> tuple[float, str]:
    """Return a factor and the unit in which a value is easily read."""
    if unit == "Pa" and abs(value) >= 1e3:
        return (1e6, "MPa") if abs(value) >= 1e6 else (1e3, "kPa")
    return 1.0, "" if unit == "1" else unit


def _words(interval: Range, factor: float) -> str:
    low, high = (
        "open" if end is None else f"{end / factor:.3g}" for end in (interval.low, interval.high)
    )
    return f"{low} to {high}"
