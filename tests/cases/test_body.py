"""Bodies: names and places of their parts; impossible geometry is refused with the reason."""

import math

import pytest
from pydantic import ValidationError

from loligo.cases.body import ChamberedArm, Mantle, Segment, Sleeve, Solid, TaperedArm, Tendons

SEGMENT = {"length": 0.1, "chamber_radius": 0.005, "chamber_offset": 0.01}
ARM = {"length": 0.245, "base_radius": 0.01, "tip_radius": 0.002}
AXIS = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
SOLID = {"centreline": AXIS, "stations": (0.0, 0.1)}
MESH = {**SOLID, "mesh": "a.msh", "file_unit": "mm"}


def test_chamber_j_sits_at_90_deg_plus_turn():
    degrees = [math.degrees(a) for a in Segment(**SEGMENT, turn=math.pi).azimuths]
    assert degrees == pytest.approx([270, 390, 510])


def test_parts_are_named_by_place():
    arm = ChamberedArm(
        radius=0.017, segments=(Segment(**SEGMENT), Segment(**SEGMENT)), plates=(0.005,) * 3
    )
    assert arm.cavities == ("s1c1", "s1c2", "s1c3", "s2c1", "s2c2", "s2c3")
    assert arm.discs == ("base", "1", "tip")
    assert TaperedArm(**ARM, tip_disc=0.002).discs == ("tip",)


def test_rendas_meridian_is_118_mm():
    mantle = Mantle(radius=0.031, thickness=0.002, cylinder_length=0.094)
    assert mantle.meridian_length == pytest.approx(0.11835, abs=1e-5)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: TaperedArm(**ARM, bore_radius=0.002), "breaks through the wall where the arm is"),
        (
            lambda: TaperedArm(
                **ARM, tendons=Tendons(count=4, base_offset=0.007, tip_offset=0.007)
            ),
            "tendons.tip_offset 7 mm lies outside the wall",
        ),
        (lambda: TaperedArm(**ARM, stations=22), "less than or equal to 21"),
        (lambda: Segment(**{**SEGMENT, "chamber_radius": 0.009}), "neighbouring chambers overlap"),
        (lambda: Segment(**SEGMENT, winding_radius=0.015), "the winding at radius 15 mm cuts"),
        (
            lambda: Segment(**SEGMENT, sleeve=Sleeve(inner_radius=0.004, outer_radius=0.006)),
            "a sleeve needs chamber_radius < sleeve.inner_radius",
        ),
        (
            lambda: ChamberedArm(radius=0.014, segments=(Segment(**SEGMENT),), plates=(0.005,) * 2),
            "the chambers of segment 1 leave no outer wall: they reach to 15 mm, the arm to 14 mm",
        ),
        (
            lambda: ChamberedArm(
                radius=0.016,
                segments=(
                    Segment(**SEGMENT, sleeve=Sleeve(inner_radius=0.0055, outer_radius=0.006)),
                ),
                plates=(0.005,) * 2,
            ),
            "they reach to 16 mm, the arm to 16 mm",
        ),
        (
            lambda: ChamberedArm(radius=0.017, segments=(Segment(**SEGMENT),), plates=(0.005,)),
            "1 segment(s) need 2 plates",
        ),
        (
            lambda: ChamberedArm(
                radius=0.017,
                segments=(Segment(**SEGMENT, winding_radius=0.018),),
                plates=(0.005,) * 2,
            ),
            "lies outside the arm (radius 17 mm)",
        ),
        (
            lambda: ChamberedArm(
                radius=0.017, segments=(Segment(**SEGMENT),) * 4, plates=(0.005,) * 5
            ),
            "4 segments with 7 stations each are 28 planes",
        ),
        (
            lambda: Mantle(radius=0.031, thickness=0.002, truncation=1.6, cylinder_length=0.09),
            "it must lie between 0 and 90 deg",
        ),
        (
            lambda: Mantle(radius=0.031, thickness=0.07, cylinder_length=0.09),
            "a wall of 70 mm is thicker than the mantle is wide",
        ),
        (lambda: Solid(**SOLID), "name exactly one of mesh"),
        (lambda: Solid(**MESH, step="a.step"), "name exactly one of mesh"),
        (lambda: Solid(**{**MESH, "mesh": "../a.msh"}), "leaves the folder of the case"),
        (lambda: Solid(**{**MESH, "mesh": "/a.msh"}), "leaves the folder of the case"),
        (lambda: Solid(**SOLID, mesh="a.msh"), "a .msh file needs its length unit"),
        (lambda: Solid(**SOLID, step="a.step", file_unit="mm"), "a STEP file states its own"),
        (lambda: Solid(**SOLID, step="a.step"), "needs the element size at level 0"),
        (
            lambda: Solid(**SOLID, step="a.step", size=0.004, discs=("tip",)),
            "rigid discs need a .msh file",
        ),
        (
            lambda: Solid(**{**MESH, "centreline": (*AXIS, (0.1, 0.0, 0.0))}),
            "the centreline repeats a corner",
        ),
        (
            lambda: Solid(**{**MESH, "centreline": (*AXIS, (0.05, 0.01, 0.0))}),
            "or turns by a right angle or more",
        ),
        (lambda: TaperedArm(**ARM, stations="5"), "should be a valid integer"),
        (lambda: Solid(**SOLID, step="a.step", size=0.004), "surfaces must name at least base"),
        (lambda: Solid(**MESH, size=0.004), "belong to a STEP file"),
        (
            lambda: Solid(**{**MESH, "stations": (0.0, 0.05, 0.05, 0.1)}),
            "stations must increase",
        ),
        (
            lambda: Solid(**{**MESH, "stations": (0.0, 0.05)}),
            "the last the length of the centreline, 100 mm",
        ),
        (
            lambda: Solid(**{**MESH, "centreline": ((0.0, 0.0, 0.0), (0.0, 0.1, 0.0))}),
            "must start at the origin and leave it along +x",
        ),
    ],
)
def test_impossible_bodies_are_refused(make, reason):
    with pytest.raises(ValidationError) as caught:
        make()
    assert reason in str(caught.value)


def test_a_hooped_actuator_may_be_wound_on_its_own_surface():
    segment = Segment(
        length=0.2, chambers=1, chamber_radius=0.008, chamber_offset=0.0, winding_radius=0.014
    )
    arm = ChamberedArm(radius=0.014, segments=(segment,), plates=(0.01, 0.01))
    assert arm.has_winding
