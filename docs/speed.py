"""Draw the README's picture of speed: `python docs/speed.py` writes docs/speed.json and .png."""

import json
from pathlib import Path

from tools.speed.peers import compared
from tools.speed.peers_picture import markdown, picture

path = Path(__file__).with_suffix(".json")
path.write_text(json.dumps(compared(), indent=1) + "\n")
found = json.loads(path.read_text())
print(markdown(found))
picture(found).savefig(path.with_suffix(".png"), dpi=110)
