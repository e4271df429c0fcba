r"""Whether fibres push on the rubber between them harder than it can bear.

Rubber with fibres is elliptic along them while :math:`(\mu + T/\lambda) |a|^2 > 0` for motions
a across a fibre that vary along it (Hadamard's condition; T the nominal stress of the fibres,
:math:`\lambda` their stretch): until they push by more than the shear modulus :math:`\mu`. Beyond,
they buckle in waves as short as cells allow, hence otherwise on every mesh.
"""

from __future__ import annotations

import ufl
from dolfinx.fem import Constant, form

from loligo.fem.core.measure import global_sum
from loligo.fem.materials.fibres import Fibres
from loligo.fem.problem.problem import Problem


def pushed_share(problem: Problem) -> float:
    """Return the share of the volume with fibres where they push too hard; collective."""
    volume = beyond = 0.0
    for fibres in problem.threads:
        if isinstance(fibres, Fibres) and not fibres.tension_only:
            tension, one = fibres.tension(problem.kinematics), Constant(problem.domain.mesh, 1.0)
            for group in (fibres.cells,) if isinstance(fibres.cells, str) else fibres.cells:
                measure = problem.kinematics.cells(group)
                rubber = problem.materials[group].elastomer
                most = Constant(problem.domain.mesh, rubber.shear_modulus)
                volume += global_sum(form(one * measure))
                too_hard = ufl.lt(tension, -most)
                beyond += global_sum(form(ufl.conditional(too_hard, one, 0.0) * measure))
    return beyond / volume if volume else 0.0
