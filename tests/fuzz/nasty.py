"""Values that break programs: numbers, texts, names and whole options."""

from __future__ import annotations

NUMBERS = (
    "0", "-0", "1", "-1", "2", "0.5", "1.0", "1.5", "1e-320", "5e-324", "1e308", "-1e308", "1e309",
    "1e400", "nan", "NaN", "inf", "-inf", "Infinity", "9" * 19, "9" * 40, "9" * 5000, "2147483648",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1000000000",
    "100000000000", "1_000", "0x10", "0b1", "1e", "1.", ".5", "--1", "+1", "٣", "²", "½", "1,5",
    "0.1" + "0" * 400, "1/3", "007",
)  # fmt: skip
TEXTS = (
    "", " ", "\t", "'", '"', '""', "a" * 300, "x" * 70_000, "\x00", "\x1b[2J\x1b]0;owned\x07",
    "\x9b31m", "\u202eevil", "\u2028", "\ufeff", "\ufffe", "😀", "e\u0301", "=1+1", "@SUM(A1)",
    "+cmd|' /C calc'!A0", "-2+3", "../../etc/passwd", "/dev/null", "con", "a/b", "a\\b", "a:b",
    "p_²", "p_", "_", "_0", "POS", "NEG", "UNCERTAIN", "TUNE", "EVAL", "TRAIN", "None", "null",
    "true", "{}", "[]", "%s%n", "{k}", "@", "@1", ":", "a=b", "#", "# x", "<script>", "&amp;",
    "]]>", "$(id)", "`id`", "r[12]", "*", "?", "\\N", "\r", "a\rb", "a\nb", "__code", "prob",
    "score", "label", "item", "fold", "query_id", "post_id", "grade", "selected_k",
)  # fmt: skip
JSON = (
    None, True, False, 0, 1, -1, 0.5, 1e308, 10**20, 10**400, [], {}, [1], {"a": 1}, [[]], "", "a",
    "\ud800", "\x00", "\x1b[0m", "x" * 5000, [None], ["a"], {"": {}}, {"data": [1]}, -0.0,
    "9" * 400, "²", "../x", "a/b", 1.5, [1, "a", None, {}], 2**63, -(2**63),
)  # fmt: skip
TOML = (
    "1", "-1", "0", "1.5", "inf", "nan", "true", '""', '"a"', '"\\u0000"', '"\\u001b[2J"', "[]",
    "[1]", '["a"]', "{}", "{a = 1}", "[[1]]", "1979-05-27", "9" * 5000, "9" * 30,
    "[" * 2000 + "]" * 2000, "'x'", '"""a\nb"""', "0x10", "1e308", '"../x"', '"²"', "[0]", "[-1]",
    '["lexical", "lexical"]', '[""]', "[10000000000]", "1000000000000",
)  # fmt: skip
NAMES = ("new\x1b[2Jname", "naïve", "x" * 300, "a b", "-x", "x\ny", "=1+1", "r[12]", "%41")
"""Names of files to write."""
WHOLE = ("-1", "0", "1", "2", "3", "x", "", "²", "1e3", "10000000000", "9" * 30, "9" * 5000)
"""Values of options that say how much work is done: few, or so many that they must be refused."""
