"""What each operation takes and gives back: Pydantic models, free of any framework."""

import os

# No plugin of another package gets to see what a note holds, and none is looked for at each start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
