"""Names the packages that are measured, which may be those of another checkout."""

import agents


def pytest_report_header() -> str:
    """A line above the tables."""
    return f"measured: {agents.__file__}"
