"""Expectations of checkers, which raise AssertionErrors."""

from collections.abc import Callable


def expect(condition: bool, message: str) -> None:
    """Raise AssertionError with the message unless the condition holds."""
    if not condition:
        raise AssertionError(message)


def expect_error(kind: type[Exception], call: Callable, what: str) -> None:
    """Raise AssertionError unless ``call`` raises ``kind``, with a message of one line."""
    try:
        call()
    except kind as error:
        expect("\n" not in str(error), f"the message on {what} is longer than a line: {error}")
        return
    except Exception as error:
        raise AssertionError(
            f"{what} must raise {kind.__name__}, but raises {type(error).__name__}: {error}"
        ) from error
    raise AssertionError(f"{what} must raise {kind.__name__}")
