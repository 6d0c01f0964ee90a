"""Lines of Yahoo!'s logs as numbers, parsed byte by byte in compiled code.

``yahoo`` states the rules. A text consists of whole lines. Its last byte ends a line, and every
read stops there, so no function checks for the end of the text.
"""

import re

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import power

N_DESCRIBED = 6  # features of users and articles in R6A
N_USER = 136  # features of users in R6B
_LARGEST = 1e100  # the largest number
_WILD = 1e3  # features are at most 1; larger ones are faults of the file that would ruin a run

# Reasons for dropping a line in 0, 1, .., and of articles in the last one.
_OF_LINES = "malformed", "featureless_user", "absent_shown", "featureless_shown"
DROPPED = *_OF_LINES, "featureless_articles"
_MALFORMED, _NO_USER, _ABSENT, _NO_SHOWN, _BARE = range(len(DROPPED))
_FINE, _BLANK, _NO_ROOM = -1, -2, -3

_LINE_END, _RETURN, _SPACE, _TAB, _BAR, _COLON = (np.uint8(ord(c)) for c in "\n\r \t|:")
_PLUS, _MINUS, _POINT, _ZERO, _NINE = (np.uint8(ord(c)) for c in "+-.09")
_BIG_E, _SMALL_E, _U, _S, _R, _I, _D = (np.uint8(ord(c)) for c in "Eeusrid")
_POWERS = np.array([float(f"1e{k}") for k in range(23)])  # exact, all of them

_HEAD = re.compile(rb"\s*[0-9]+[ \t]+(id-)?[0-9]+[ \t]+[01][ \t]*\|")


def is_described(line: bytes) -> bool | None:
    """Whether a line begins like R6A's, true, or R6B's, false; None if like neither."""
    head = _HEAD.match(line)
    return None if head is None else head[1] is None


@inlined
def _integer(text, i):
    """The integer at byte i and its end; -1 unless it has 1 to 18 digits."""
    value, start = np.int64(0), i
    while _ZERO <= text[i] <= _NINE:
        value = value * 10 + np.int64(text[i] - _ZERO)
        i += 1
    return value, (i if 0 < i - start <= 18 else -1)


@inlined
def _spaces(text, i):
    while text[i] == _SPACE or text[i] == _TAB:
        i += 1
    return i


@inlined
def _ends(text, i):
    """Whether the line ends at byte i."""
    return text[i] == _LINE_END or (text[i] == _RETURN and text[i + 1] == _LINE_END)


@compiled
def number(text, i):
    """The number at byte i and its end; -1 unless it is a number of at most 1e100."""
    negative = text[i] == _MINUS
    if negative or text[i] == _PLUS:
        i += 1
    mantissa, scale, digits = np.int64(0), 0, 0
    point = False
    while True:
        c = text[i]
        if _ZERO <= c <= _NINE:
            digits += 1
            if mantissa < 100_000_000_000_000_000:  # room for one more digit of 18
                mantissa = mantissa * 10 + np.int64(c - _ZERO)
                scale -= point
            else:
                scale += not point
        elif c == _POINT and not point:
            point = True
        else:
            break
        i += 1
    if digits == 0:
        return 0.0, -1
    if text[i] == _SMALL_E or text[i] == _BIG_E:
        i += 1
        down = text[i] == _MINUS
        if down or text[i] == _PLUS:
            i += 1
        exponent, i = _integer(text, i)
        if i < 0:
            return 0.0, -1
        exponent = min(exponent, 1000)
        scale += -exponent if down else exponent
    x = np.float64(mantissa)
    if 0 <= -scale < _POWERS.size:
        x /= _POWERS[-scale]
    elif 0 < scale < _POWERS.size:
        x *= _POWERS[scale]
    elif mantissa > 0:
        x *= power(10.0, scale)
    if not x <= _LARGEST:
        return 0.0, -1
    return (-x if negative else x), i


@inlined
def _described(text, i, features):
    """Read the pairs number:value at byte i into features (6,); missing ones are 0.

    Returns their number and their end, at a bar or the end of the line; or -1.
    """
    seen = np.int64(0)
    there = 0
    for j in range(N_DESCRIBED):
        features[j] = 0.0
    while True:
        before, i = i, _spaces(text, i)
        if text[i] == _BAR or _ends(text, i):
            return there, i
        if i == before:
            return there, -1
        feature, i = _integer(text, i)
        if i < 0 or text[i] != _COLON or feature < 1 or feature > N_DESCRIBED:
            return there, -1
        bit = np.int64(1) << feature
        if seen & bit != 0:
            return there, -1
        seen |= bit
        there += 1
        features[feature - 1], i = number(text, i + 1)
        if i < 0 or not abs(features[feature - 1]) <= _WILD:
            return there, -1


@inlined
def _ones(text, i, features):
    """Read the feature numbers at byte i into features (136,); returns their end, or -1."""
    features[:] = 0.0
    while True:
        before, i = i, _spaces(text, i)
        if text[i] == _BAR or _ends(text, i):
            return i
        if i == before:
            return -1
        feature, i = _integer(text, i)
        if i < 0 or feature < 1 or feature > N_USER or features[feature - 1] != 0.0:
            return -1
        features[feature - 1] = 1.0


@inlined
def _article(text, i, described):
    """The article named at byte i and the end of its name, or -1."""
    if not described:
        if text[i] != _I or text[i + 1] != _D or text[i + 2] != _MINUS:
            return np.int64(0), -1
        i += 3
    return _integer(text, i)


@inlined
def _repeated(text, i, start, length):
    """Whether what stands at byte i, up to a bar or the line's end, is what did at ``start``."""
    if i + length + 1 >= text.size:
        return False
    differs = np.uint8(0)
    for j in range(length):  # without a way out, which lets several bytes be compared at a time
        differs |= text[np.uint64(i + j)] ^ text[np.uint64(start + j)]
    return differs == 0 and (text[i + length] == _BAR or _ends(text, i + length))


@inlined
def _head(text, i, described):
    """Time, article shown, click, and the byte after them and spaces; -1 where malformed."""
    time, i = _integer(text, i)
    if i < 0 or not (text[i] == _SPACE or text[i] == _TAB):
        return time, time, time, -1
    shown, i = _article(text, _spaces(text, i), described)
    if i < 0 or not (text[i] == _SPACE or text[i] == _TAB):
        return time, shown, time, -1
    click, i = _integer(text, _spaces(text, i))
    return time, shown, click, (-1 if i < 0 or click > 1 else _spaces(text, i))


@inlined
def _twice(ids, found):
    """Whether two of the first ``found`` articles are the same."""
    for k in range(found):
        for other in range(k):
            if ids[other] == ids[k]:
                return True
    return False


@inlined
def _place(ids, found, article):
    """The position of an article among the first ``found``, or -1."""
    place = -1
    for k in range(found):
        if ids[k] == article:
            place = k
    return place


@compiled
def _line(text, i, described, event, before, known):
    """Parse the line at byte i into an event: features of the user, ids, features of articles.

    Articles repeat from line to line: an article with the same bytes as the one at its position in
    the line before, whose ids and features are given, is copied. ``known`` (c, 2) has the first
    byte and the number of bytes of each known article, 0 for none; if this line is good, it is
    updated.

    Returns (fault, a byte within the line, time, click, position of the article shown among the
    articles, number of articles without features).
    """
    (user, ids, articles), (known_ids, known_articles) = event, before
    nothing = (i, np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    i = _spaces(text, i)
    if _ends(text, i):
        return _BLANK, *nothing
    time, shown, click, i = _head(text, i, described)
    if i < 0:
        return _MALFORMED, *nothing
    there = users = bare = found = 0
    bare_shown = strangers = False
    room = ids.size
    while text[i] == _BAR:
        i += 1
        if text[i] == _U and text[i + 1] == _S and text[i + 2] == _SMALL_E and text[i + 3] == _R:
            users += 1
            i += 4
            there, i = _described(text, i, user) if described else (0, _ones(text, i, user))
            if i < 0:
                return _MALFORMED, *nothing
            continue
        if found == room:
            return _NO_ROOM, *nothing
        start, length = known[found, 0], known[found, 1]
        if length > 0 and _repeated(text, i, start, length):
            ids[found] = known_ids[found]
            for j in range(articles.shape[1]):
                articles[found, j] = known_articles[found, j]
            known[found, 0] = i
            i += length
            found += 1
            continue
        start = i
        ids[found], i = _article(text, i, described)
        if i < 0:
            return _MALFORMED, *nothing
        features = N_DESCRIBED
        if described:
            features, i = _described(text, i, articles[found])
            if i < 0:
                return _MALFORMED, *nothing
        else:
            i = _spaces(text, i)
        if features < N_DESCRIBED:
            bare += 1
            bare_shown |= ids[found] == shown
            continue
        strangers = True
        known[found, 0], known[found, 1] = start, i - start
        found += 1
    if not _ends(text, i) or users != 1 or (strangers and _twice(ids, found)):
        return _MALFORMED, *nothing
    place = _place(ids, found, shown)
    if described and there < N_DESCRIBED:
        return _NO_USER, *nothing
    if place < 0:
        return (_NO_SHOWN if bare_shown else _ABSENT), *nothing
    for k in range(found, room):
        ids[k], known[k, 1] = -1, 0
    return _FINE, i, time, click, np.int64(place), np.int64(bare)


@compiled
def parse(text, described, events, dropped):
    """Write the events of a text into the arrays of ``Events``, up to the number they have room
    for.

    ``dropped`` counts the lines dropped before the last of these. Returns the number of events, or
    -1 if an event has more articles than there is room for.
    """
    timestamps, users, ids, articles, shown, clicks = events
    rows, i = 0, 0
    known = np.zeros((ids.shape[1], 2), np.int64)
    while i < text.size and rows < shown.size:
        last = max(rows - 1, 0)
        fault, i, time, click, place, bare = _line(
            text,
            i,
            described,
            (users[rows], ids[rows], articles[rows]),
            (ids[last], articles[last]),
            known,
        )
        if fault == _NO_ROOM:
            return -1
        if fault == _FINE:
            timestamps[rows], clicks[rows], shown[rows] = time, click, place
            dropped[_BARE] += bare
            rows += 1
        else:
            known[:] = 0
            if fault != _BLANK:
                dropped[fault] += 1
        while text[i] != _LINE_END:
            i += 1
        i += 1
    return rows
