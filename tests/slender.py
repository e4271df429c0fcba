"""A case of a slender cylinder, for tests that say what acts on it."""

from typing import Any

from loligo.cases.case import Case


def slender_arm(
    length: float, radius: float, rubber: dict[str, float], *, stations: int = 3, **case: Any
) -> Case:
    """Return a neo-Hooke cylinder (m, SI); ``case`` are further tables of its case."""
    return Case.model_validate(
        {
            "name": "arm",
            "title": "t",
            "source": "s",
            "body": {
                "kind": "tapered_arm",
                "length": length,
                "base_radius": radius,
                "tip_radius": radius,
                "stations": stations,
            },
            "material": {"body": {"energy": "neo_hooke", **rubber}},
            **case,
        }
    )
