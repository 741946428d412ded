"""Words of a text in the form that is compared: what looks the same is the same.

A copy can be disguised without changing how it reads: full-width letters, accents, zero-width
characters, look-alike letters of another script. All of that is removed before texts are compared
(see the skeletons of Unicode Technical Standard 39). The table of look-alikes is a small one of our
own: Cyrillic, Greek, Armenian and a few Latin letters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

WORD = re.compile(r"\w+")
FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Invisible, although Unicode classifies them as letters or symbols."""
INVISIBLE = frozenset(("Mn", "Me", "Cf", "Cc"))
"""Marks on letters, and characters that only format or control."""

CONTROLS = {at: None for at in (*range(32), 127) if not chr(at).isspace()}

# Upper case first: Ν looks like N, but ν like v. Words keep their script unless they need folding.
_PAIRS = (
    # Cyrillic
    ("АВЕКМНОРСТУХЅІЈҮԌԚԜҺ", "ABEKMHOPCTYXSIJYGQWH"),
    ("асеорухѕіјԁԛԝһүԍкмтвпӏ", "aceopyxsijdqwhygkmtbnl"),
    # Greek
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ABEZHIKMNOPTYXC"),
    ("αιικνοορυγχϲηωτβ", "aiiknoopuyxcnwtb"),
    # Armenian, and Latin letters beyond ASCII that have no decomposition
    ("օսցհոՏՕԼ", "oughnSOL"),
    ("ıɑɡɩʏʋɪᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢℓ", "iagiyviacdejkmoptuvwzl"),
)
LOOKALIKES = {
    ord(letter): plain for letters, twins in _PAIRS for letter, plain in zip(letters, twins, strict=True)
}


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text with compatibility forms, marks, look-alikes and case folded."""
    if text.isascii():
        return tuple(WORD.findall(text.lower().translate(CONTROLS)))
    spread = unicodedata.normalize("NFKD", text)
    shown = "".join(
        " " if letter.isspace() else letter
        for letter in spread
        if letter.isspace() or (unicodedata.category(letter) not in INVISIBLE and letter not in FILLERS)
    )
    return tuple(_folded(word) for word in WORD.findall(shown))


@lru_cache(maxsize=100_000)
def _folded(word: str) -> str:
    """Return a word in ASCII look-alikes if it mixes scripts or consists of look-alikes.

    A word with letters that only its script has is kept, so texts in that script are compared
    by their own letters.
    """
    if word.isascii():
        return word.lower()
    letters = [letter for letter in word if letter.isalpha()]
    if any(letter.isascii() for letter in letters) or all(ord(letter) in LOOKALIKES for letter in letters):
        word = word.translate(LOOKALIKES)
    return word.casefold()
