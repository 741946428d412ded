"""ReDSM5: posts and sentence annotations by DSM-5 symptom, as two CSV files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from assay.data import table_checks
from assay.data.importers.imported_corpus import Imported
from assay.data.importers.sentence_split import sentences_of
from assay.data.importers.span_matching import nearest, normal, places
from assay.data.readers.table_files import Table, read_table
from assay.data.readers.table_files import texts as text_columns
from assay.errors import Fault, InputError, shown

POSTS = ("post_id", "text")
ANNOTATIONS = ("post_id", "sentence_id", "sentence_text", "DSM5_symptom", "status")
EVIDENCE, NOT_EVIDENCE = ("1", "1.0"), ("0", "0.0")
SHOWN = 3
Posts = dict[str, list[str]]
DIGITS = 9


@dataclass(slots=True)
class Matches:
    """The result of the annotations, and the rows of the file whose text is not at its index."""

    gold: dict[tuple[str, str, str], None] = field(default_factory=dict)
    contrary: int = 0
    moved: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # one pair each, described


def read_redsm5(posts: Path, annotations: Path, *, with_text: bool = False) -> Imported:
    """Read the sentences of the posts; annotations of status 1 are gold.

    `sentence_id` is `{post_id}_{idx}`. The annotated text must be the sentence at idx, apart from
    whitespace, kinds of quotes and final punctuation. If it occurs elsewhere in the post, that
    sentence is used; if the annotators split sentences differently, every sentence it overlaps is
    used; if it is not in the post, the annotation is left out. All three are counted and reported.
    `with_text` shows the texts of annotations that were left out.
    """
    texts = text_columns(read_table(posts, POSTS), *POSTS)
    marks = text_columns(read_table(annotations, ANNOTATIONS), *ANNOTATIONS)
    empty_ids = table_checks.filled(texts, "post_id")
    if empty_ids:
        raise InputError(empty_ids)
    found = {
        str(post): [sentence.text for sentence in sentences_of(text or "")]
        for post, text in texts.frame.select("post_id", "text").iter_rows()
    }
    faults = _faults(marks, found, texts.source)
    if faults:
        raise InputError(faults)
    matches = _match(marks, found, with_text=with_text)
    if not matches.gold:
        raise InputError.of(marks.source, *_nothing_found(marks, matches, texts.source))
    empty = [post for post, sentences in found.items() if not sentences]
    symptoms = sorted(set(marks.frame["DSM5_symptom"].to_list()))
    notes = [*_notes(matches, len(marks.frame), texts.source)]
    if empty:
        notes.append(f"{len(empty)} posts without a sentence were left out: {shown(empty[0])} …")
    return Imported(
        sentences=[
            (post, f"{post}_{at}", at, sentence)
            for post, sentences in found.items()
            for at, sentence in enumerate(sentences)
        ],
        criteria=[(name, name.replace("_", " ").lower()) for name in symptoms],
        gold=list(matches.gold),
        notes=notes,
    )


def _faults(marks: Table, found: Posts, posts: str) -> list[Fault]:
    faults = []
    for row, (post, uid, symptom, status) in enumerate(
        marks.frame.select("post_id", "sentence_id", "DSM5_symptom", "status").iter_rows()
    ):
        head, _, index = (uid or "").rpartition("_")
        if post not in found:
            problem = f"post_id {shown(post)} is unknown"
            faults.append(marks.fault(row, problem, f"expected a post of {posts}"))
        elif head != post or not (index.isascii() and index.isdecimal() and len(index) <= DIGITS):
            problem = f"sentence_id is {shown(uid)}"
            faults.append(marks.fault(row, problem, f"expected {post}_ and a number"))
        if not symptom:
            faults.append(marks.fault(row, "DSM5_symptom is empty", "expected a symptom"))
        if (status or "").strip() not in (*EVIDENCE, *NOT_EVIDENCE):
            problem = f"status is {shown(status)}"
            faults.append(marks.fault(row, problem, "expected 1 (evidence) or 0"))
    return faults


def _match(marks: Table, found: Posts, *, with_text: bool) -> Matches:
    matches = Matches()
    normals = {post: [normal(each) for each in sentences] for post, sentences in found.items()}
    for row, (post, uid, given, symptom, status) in enumerate(marks.frame.select(ANNOTATIONS).iter_rows()):
        text, sentences = normal(given or ""), normals[post]
        at = places(sentences, int(uid.rpartition("_")[2]), text)
        number = row + marks.first_row
        if not at:
            pair = _pair(number, uid, sentences, text)
            if with_text and (near := nearest(sentences, text)) is not None:
                pair += f"\n  annotation: {given}\n  post: {found[post][near[0]]}"
            matches.lost.append(pair)
            continue
        if len(at) > 1 or sentences[at[0]] != text:
            matches.cut.append(number)
        elif f"{post}_{at[0]}" != uid:
            matches.moved.append(number)
        if status.strip() in EVIDENCE:
            matches.gold |= dict.fromkeys((post, symptom, f"{post}_{place}") for place in at)
        else:
            matches.contrary += 1
    return matches


def _pair(number: int, uid: str, sentences: list[str], text: str) -> str:
    """Return an annotation and its most similar sentence, by id: texts are sensitive."""
    near = nearest(sentences, text)
    if near is None:
        return f"row {number}: {uid}, a post without sentences"
    at, share = near
    post = uid.rpartition("_")[0]
    return f"row {number}: {uid}, most similar to {post}_{at} ({share:.0%} of the words in common)"


def _notes(matches: Matches, annotations: int, posts: str) -> list[str]:
    notes = [f"{matches.contrary} annotations are not evidence (status 0)"]
    for rows, what in (
        (matches.moved, "match another sentence of the post, which was used"),
        (matches.cut, "match part of a sentence or several; every overlapping sentence was used"),
    ):
        if rows:
            first = ", ".join(map(str, rows[:SHOWN])) + (" …" if len(rows) > SHOWN else "")
            notes.append(f"{len(rows)} of {annotations} annotations {what} (rows {first})")
    if matches.lost:
        notes.append(
            f"{len(matches.lost)} of {annotations} annotations do not match the text of their post "
            f"in {posts} and were left out; the first:"
        )
        notes += matches.lost[:SHOWN]
    return notes


def _nothing_found(marks: Table, matches: Matches, posts: str) -> tuple[str, str]:
    """Return the message if no annotation is evidence: either file may be at fault."""
    total = len(marks.frame)
    if not matches.lost:
        return f"has no annotation with status 1 among {total}", "expected at least one"
    first = "; ".join(each.partition("\n")[0] for each in matches.lost[:SHOWN])
    return (
        f"has {total} annotations, but the text of {len(matches.lost)} is not in its post in "
        f"{posts} ({first})",
        "check that the two files are of the same release; `with_text=True` shows the texts",
    )
