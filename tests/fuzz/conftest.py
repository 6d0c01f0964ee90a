"""The fuzz tests share a module, which pytest's import mode does not put on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
