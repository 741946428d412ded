"""LaTeX text to plain text: comments, braces, macros and signs."""

from __future__ import annotations

import re
from collections.abc import Iterator

COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*?(?=\n|$)")
# Macros whose arguments are not text of the cell.
DROPPED = re.compile(
    r"\\(?:cite[a-z]*|ref|eqref|autoref|cref|Cref|label|footnote(?:mark|text)?|tnote|"
    r"tablefootnote|vspace|hspace|color|cellcolor|rowcolor|columncolor|phantom|hphantom|vphantom|input|"
    r"includegraphics|textsuperscript)\*?\s*(?:\[[^\]]*\])*\s*(?:\{[^{}]*\})?"
    r"|\\(?:setlength|fontsize|rule)\s*(?:\[[^\]]*\])?(?:\s*\{[^{}]*\}){0,2}"
)
# Macros whose last argument is the text.
LAST = re.compile(
    r"\\(?:textcolor|f?colorbox|rotatebox|scalebox|resizebox|adjustbox|SI|qty)"
    r"\*?\s*(?:\[[^\]]*\])?\s*"
)
SIGNS = {
    "pm": "±",
    "uparrow": "↑",
    "downarrow": "↓",
    "Uparrow": "↑",
    "Downarrow": "↓",
    "times": "×",
    "Delta": "Δ",
    "delta": "δ",
    "kappa": "κ",
    "dagger": "†",
    "ddagger": "‡",
    "textpm": "±",
    "textminus": "-",
    "textendash": "–",
    "textemdash": "—",
    "ldots": "…",
    "dots": "…",
    "rightarrow": "→",
    "to": "→",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "sigma": "σ",
    "percent": "%",
    "textbackslash": "",
    "quad": " ",
    "qquad": " ",
    "xmark": "–",
    "checkmark": "✓",
    "textsc": "",
    "infty": "∞",
    "beta": "β",
    "alpha": "α",
    "cdot": "·",
    "slash": "/",
}
ESCAPED = re.compile(r"\\([%&_#$])")
SUPERSCRIPT = re.compile(r"\^\s*(?:\{[^{}]*\}|\\[a-zA-Z]+|\S)")
SPREAD = re.compile(r"_\s*\{\s*(?:\\pm|±|\\textpm)\s*([^{}]*)\}")
SUBSCRIPT = re.compile(r"_\s*\{([^{}]*)\}")
MACRO = re.compile(r"\\([a-zA-Z]+)\*?\s*")
DEEPEST = 20


def comments_removed(text: str) -> str:
    """Return the source without comments; lines keep their numbers."""
    return COMMENT.sub(r"\1", text)


def argument(text: str, at: int) -> tuple[str, int] | None:
    """Return the text in braces that begins at a place, and the place after it."""
    while text[at : at + 1].isspace():
        at += 1
    if text[at : at + 1] != "{":
        return None
    for place, depth in braced(text[at:]):
        if depth == 0 and place > 0:
            return text[at + 1 : at + place], at + place + 1
    return None


def braced(text: str) -> Iterator[tuple[int, int]]:
    """Yield each place with the number of open braces; escaped signs are skipped.

    The closing brace itself has the depth outside of it. A row's end is given once.
    """
    depth, at = 0, 0
    while at < len(text):
        if text[at] == "\\":
            if text[at : at + 2] == "\\\\" or text[at + 1 : at + 2].isalpha():
                yield at, depth
            at += 2
            continue
        if text[at] == "{":
            yield at, depth
            depth += 1
        elif text[at] == "}":
            depth = max(0, depth - 1)
            yield at, depth
        else:
            yield at, depth
        at += 1


def plain_text(text: str) -> str:
    """Return what a reader sees of a piece of LaTeX, in one line.

    Superscripts mark notes or tests, so they are removed. A subscript with ± is a spread; any other
    subscript is put in brackets, because its meaning is unknown.
    """
    bare = text.replace("\\\\", " ")
    bare = ESCAPED.sub(lambda found: _PROTECTED[found[1]], bare)
    for _ in range(DEEPEST):
        before = bare
        bare = DROPPED.sub("", bare)
        bare = SUPERSCRIPT.sub("", bare)
        bare = SPREAD.sub(r" ± \1", bare)
        bare = _last_arguments(bare)
        if bare == before:
            break
    bare = _subscripts(bare)
    bare = re.sub(r"\\[,;:! ]", " ", bare)
    bare = MACRO.sub(lambda found: SIGNS.get(found[1], " "), bare)
    bare = re.sub(r"[{}$]", "", bare).replace("~", " ").replace("---", "—").replace("--", "–")
    for sign, mark in _PROTECTED.items():
        bare = bare.replace(mark, sign)
    return " ".join(bare.split())


_PROTECTED = {sign: chr(0xE000 + at) for at, sign in enumerate("%&_#$")}


def _subscripts(text: str) -> str:
    """`0.82_{0.01}` as `0.82 (0.01)`; in a name, `R_{cap}@100`, just the letters."""

    def shown(found: re.Match[str]) -> str:
        inner = found[1].strip()
        return f" ({inner})" if re.match(r"^[\d.+\-−]+$", inner) else f"_{inner}"

    return SUBSCRIPT.sub(shown, text)


def _last_arguments(text: str) -> str:
    r"""`\textcolor{red}{0.8}` as its last argument."""
    found = LAST.search(text)
    if found is None:
        return text
    at, inner = found.end(), None
    while (read := argument(text, at)) is not None:
        inner, at = read
    return text[: found.start()] + (inner if inner is not None else "") + text[at:]
