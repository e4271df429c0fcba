"""The picture beside a data set: CASE.png of CASE.nc, drawn by PyVista, and of no other data."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from loligo.validation.data.shipped import checksum

_DATA = "data sha256"
"""Key of the picture's text that says of which data it is."""
_COLOURS = 256
"""Of a picture that is made smaller, spread over those that it has: white counts once."""


def keep(pixels: NDArray[np.uint8], picture: Path, source: Path, width: int = 0) -> None:
    """Write a picture with the hash of its data; of another width, if one is given, and smaller."""
    image = Image.fromarray(pixels)
    if width:
        size = (width, round(width * image.height / image.width))
        small = image.resize(size, Image.Resampling.LANCZOS)
        image = small.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    about = PngInfo()
    about.add_text(_DATA, checksum(source))
    image.save(picture, "png", pnginfo=about, optimize=True)


def beside(source: Path) -> str | None:
    """Return the picture beside a data set in base64; None without one, or if it is of others."""
    picture = source.with_suffix(".png")
    try:
        with Image.open(picture) as image:
            if image.info.get(_DATA) != checksum(source):
                return None
    except OSError:  # there is none, or it is no picture
        return None
    return base64.b64encode(picture.read_bytes()).decode("ascii")
