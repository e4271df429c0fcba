"""Makes the modules importable that several tests of the reduced models share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
