"""Where things are mounted in the sandbox; both sides import it."""

CODE = "/code"  # where our code is mounted
SUBMISSION = "/submission"  # where the agent's files are mounted
KERNELS = "/kernels"  # where compiled code is mounted
PACKAGES = "/packages"  # where packages of a virtual environment are mounted
# The parts of our code that an agent's process needs: neither results nor the judge.
PARTS = ("banditgym", "agents", "leaderboards/sandbox")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
SYSTEM = ("/", "/usr", "/usr/local")  # an interpreter here is mounted file by file
