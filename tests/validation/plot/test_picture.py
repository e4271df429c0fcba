"""The picture beside a data set is of that data, and the report shows it."""

import base64

import numpy as np
import pytest
from PIL import Image

from loligo.validation.data.shipped import shipped
from loligo.validation.plot.picture import beside, keep


@pytest.mark.parametrize("width", [0, 40])
def test_a_picture_is_of_the_data_that_it_was_drawn_from(tmp_path, width):
    data, picture = tmp_path / "a.nc", tmp_path / "a.png"
    data.write_bytes(b"data")
    assert beside(data) is None
    pixels = np.full((50, 80, 3), 255, np.uint8)
    pixels[10:20, 30:40] = (200, 30, 10)
    keep(pixels, picture, data, width)
    assert base64.b64decode(beside(data)) == picture.read_bytes()
    with Image.open(picture) as image:
        assert image.size == ((40, 25) if width else (80, 50))
        colours = image.convert("RGB").getcolors(maxcolors=4000)
        assert max(colours)[1] == (255, 255, 255)
    data.write_bytes(b"others")
    assert beside(data) is None
    picture.write_text("no picture")
    assert beside(data) is None


@pytest.mark.parametrize("case", shipped())
def test_every_shipped_data_set_has_its_picture(case):
    file = shipped()[case]
    assert beside(file) is not None, (
        f"draw it: python -m loligo.validation.shipping.reference {case}"
    )
    assert file.with_suffix(".png").stat().st_size < 60_000
