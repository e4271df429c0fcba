"""Forces of water on bodies that move through it, stated once for solids, rods and shells.

All forces act on the body, all velocities are the body's relative to the water, in SI. Nothing here
knows what the body is: a section of a rod (forces per length), a shell, a whole robot. Implicit
steps need slopes, too.

In a stream of the velocity U(t) everywhere, water is at rest as seen from one that goes along, and
there gravity is g - dU/dt. So drag and added mass are by the relative velocity v - U and its rate,
and buoyancy becomes -rho_w V (g - dU/dt): the new part rho_w V dU/dt is that of the pressure that
accelerates the stream (Froude and Krylov). On a body at rest both inertial parts make
rho_w V (1 + C_a) dU/dt (Morison's equation).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def quadratic_drag(coefficient: Array | float, velocity: Array) -> tuple[Array, Array]:
    """Return the drag -|v| C v and its derivative by v.

    Renda 2018 Eq 11 per length of a rod of radius h, with C = rho_w h diag(pi C_x/2, C_y, C_z) in
    the section's axes; Eq 12 and 20 of a body, with C = rho_w C_d A_ref/2. |v| is the norm of v as
    printed; the authors' code takes |v_i| v_i instead, which differs except along an axis and
    depends on which axes these are.

    Args:
        coefficient: C, one number or one a component (kg/m, or kg/m^2 per length).
        velocity: v in m/s, shape (..., d).

    Returns:
        force, shape (..., d), and its derivative, shape (..., d, d).
    """
    v = np.asarray(velocity, float)
    c = np.broadcast_to(np.asarray(coefficient, float), v.shape)
    speed = np.sqrt((v * v).sum(-1))[..., None]
    heading = np.divide(v, speed, out=np.zeros_like(v), where=speed > 0.0)
    slope = -(c * v)[..., :, None] * heading[..., None, :]
    slope -= (speed * c)[..., None] * np.eye(v.shape[-1])
    return -speed * c * v, slope


def section_drag(density: float, radius: Array | float, coefficients: npt.ArrayLike) -> Array:
    """Return C of `quadratic_drag` per length of a slender body, rho_w h diag(pi C_x/2, C_y, C_z).

    Across, that is rho_w C_d D |v| v/2 with the drag coefficient C_d = C_y of the diameter D = 2 h.

    Args:
        density: of the water (kg/m^3).
        radius: h of the section (m), shape (...).
        coefficients: C_x, C_y, C_z of Renda 2018 Eq 11, in the section's axes.

    Returns:
        the diagonal, shape (..., 3) (kg/m^2).
    """
    shares = np.array([0.5 * np.pi, 1.0, 1.0]) * np.asarray(coefficients, float)
    drag: Array = density * np.multiply.outer(radius, shares)
    return drag


def hull_drag(density: float, coefficient: float, widest: float) -> float:
    """Return C of `quadratic_drag` of a whole mantle along its axis, Renda 2018 Eq 12.

    Args:
        density: of the water (kg/m^3).
        coefficient: C_d, of the cross-section of the widest ring, A_ref.
        widest: radius of the mid-surface there, as it is now (m).

    Returns:
        rho_w C_d A_ref/2 (kg/m).
    """
    return 0.5 * density * coefficient * np.pi * widest**2


def added_mass(density: float, area: Array | float, coefficients: npt.ArrayLike) -> Array:
    """Return the added mass per length of a slender body, rho_w A diag(B), in kg/m.

    Renda 2018 Eq 13, with the coefficients B = (0, B_b, B_b) in the section's axes. In these axes
    the momentum p = M v of the water turns with the section: the force on it is -dp/dt - w x p, and
    the moment on it is -v x p (Munk), which Eq 13 leaves out and the authors' code has.

    Args:
        density: of the water (kg/m^3).
        area: of the section (m^2), shape (...).
        coefficients: B, one a component, shape (d,).

    Returns:
        the diagonal, shape (..., d).
    """
    mass: Array = density * np.multiply.outer(area, coefficients)
    return mass


def net_weight(density: float, water: float, volume: Array | float, gravity: Array) -> Array:
    """Return weight and buoyancy, (rho - rho_w) V g, Renda 2018 Eq 10 (there per length, V = A).

    Args:
        density: of the body (kg/m^3).
        water: density of the water (kg/m^3).
        volume: of the body (m^3), or its section (m^2) for a force per length; shape (...).
        gravity: vector in m/s^2, in the axes in which the force is wanted, shape (d,).
    """
    force: Array = (density - water) * np.multiply.outer(volume, gravity)
    return force


@dataclass(frozen=True)
class Jet:
    """A cavity that draws and expels water through a nozzle, Renda 2018 Eq 15.

    Attributes:
        density: of the water, rho_w (kg/m^3); the paper gives none, the authors' code has 1022.
        outflow: A_no, area of the nozzle for what is expelled (m^2).
        inflow: A_ni, area of the openings for what is drawn in (m^2).
        loss: C_f, 0.6 to 1.
    """

    density: float
    outflow: float
    inflow: float
    loss: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what would push the wrong way."""
        for name in ("density", "outflow", "inflow", "loss"):
            value = getattr(self, name)
            if not 0.0 < value < np.inf:
                raise ValueError(f"{name} of the jet is {value}; it must be positive and finite")

    def thrust(self, rate: float) -> tuple[float, float]:
        """Return the force -rho_w C_f U_dot |U_dot|/A_n and its slope by the rate U_dot (m^3/s).

        Positive is forwards, away from the nozzle: what leaves (U_dot < 0) pushes, what enters
        holds back.
        """
        per_area = self.density * self.loss / (self.outflow if rate < 0.0 else self.inflow)
        return -per_area * rate * abs(rate), -2.0 * per_area * abs(rate)
