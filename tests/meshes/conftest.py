"""The bodies of the library and their meshes, each made once."""

from functools import cache

import pytest

from loligo.cases.case_file import load
from loligo.meshes.build import build_mesh

# One case for each body that differs in shape.
CASES = (
    "cylinder",
    "renda_arm_tip_force",
    "emet_limb_one_tendon",
    "gong_bending_one",
    "gong_elongation",
    "gong_arm",
    "liu_segment",
    "liu_arm",
    "zhang_actuator",
    "zhang_joint_one",
    "renda_mantle_inflation",
)


@cache
def body_of(name):
    return load(name).body


@cache
def make(name, level=0, element="tetrahedron"):
    return build_mesh(body_of(name), level, element=element)


@pytest.fixture(scope="session")
def mesh_of():
    """Make the mesh of a library case: mesh_of(name, level, element)."""
    return make


@pytest.fixture(params=CASES)
def name(request):
    """The name of each library case in turn."""
    return request.param


@pytest.fixture
def body(name):
    """The body of the library case."""
    return body_of(name)
