"""Recordings of experiments become data sets: files, holds, registration, uncertainty.

`gather` does all of it; a `Setup` says what the files do not.
"""

__all__ = [
    "c3d_file",
    "channels",
    "csv_file",
    "dataset",
    "doubts",
    "gather",
    "holds",
    "loads",
    "mat_file",
    "picture",
    "reading",
    "registration",
    "setup",
    "uncertainty",
]
