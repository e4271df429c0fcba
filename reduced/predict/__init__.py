"""From a case to the prediction of a reduced model, as a data set.

`predict` chooses the model and collects its answers.
"""

__all__ = [
    "arm_loads",
    "case_at",
    "collect",
    "current",
    "joint",
    "lengths",
    "march",
    "predict",
    "resolve",
    "rod",
    "rod_motion",
    "scope",
    "scope_table",
    "shell",
    "shell_motion",
]
