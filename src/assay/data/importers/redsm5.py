"""ReDSM5: posts and sentence annotations by DSM-5 symptom, as two CSV files."""

from __future__ import annotations

from pathlib import Path

from assay.data.importers.corpus import Imported
from assay.data.importers.sentences import Sentence, sentences_of
from assay.data.readers.tables import Table, read_table
from assay.errors import Fault, InputError, shown

POSTS = ("post_id", "text")
ANNOTATIONS = ("post_id", "sentence_id", "sentence_text", "DSM5_symptom", "status")
SHOWN = 5


def read_redsm5(posts: Path, annotations: Path) -> Imported:
    """Sentences of the posts; annotations of status 1 are gold.

    `sentence_id` is `{post_id}_{idx}`. The sentence at idx must be the annotated text, but for
    blanks. Where it stands elsewhere in the post it is taken from there; where the annotators cut
    sentences otherwise, every sentence that the text touches is taken; where it does not stand in
    the post at all the annotation is left out. All three are counted and said.
    """
    texts, marks = read_table(posts, POSTS), read_table(annotations, ANNOTATIONS)
    found = {
        str(post): sentences_of(text or "")
        for post, text in texts.frame.select("post_id", "text").iter_rows()
    }
    faults = _faults(marks, found)
    if faults:
        raise InputError(faults)
    gold: dict[tuple[str, str, str], None] = {}
    moved: list[int] = []
    cut: list[int] = []
    lost: list[int] = []
    contrary = 0
    columns = marks.frame.select(ANNOTATIONS)
    for row, (post, uid, text, symptom, status) in enumerate(columns.iter_rows()):
        places = _places(found[post], int(uid.rpartition("_")[2]), text or "")
        number = row + marks.first_row
        if not places:
            lost.append(number)
            continue
        if len(places) > 1 or not _same(found[post][places[0]].text, text or ""):
            cut.append(number)
        elif f"{post}_{places[0]}" != uid:
            moved.append(number)
        if status.strip() in ("1", "1.0"):
            gold |= dict.fromkeys((post, symptom, f"{post}_{place}") for place in places)
        else:
            contrary += 1
    empty = [post for post, sentences in found.items() if not sentences]
    symptoms = sorted(set(columns["DSM5_symptom"].to_list()))
    notes = [f"{contrary} annotations are not evidence (status other than 1)"]
    notes += _notes("have their text at another place of the post", moved)
    notes += _notes("have a text that is cut otherwise: all sentences it touches are taken", cut)
    notes += _notes("have a text that is no part of the post: left out", lost)
    if empty:
        notes.append(f"{len(empty)} posts have no sentence: left out, the first {shown(empty[0])}")
    return Imported(
        sentences=[
            (post, f"{post}_{at}", at, sentence.text)
            for post, sentences in found.items()
            for at, sentence in enumerate(sentences)
        ],
        criteria=[(name, name.replace("_", " ").lower()) for name in symptoms],
        gold=list(gold),
        notes=notes,
    )


def _faults(marks: Table, found: dict[str, list[Sentence]]) -> list[Fault]:
    faults = []
    for row, (post, uid) in enumerate(marks.frame.select("post_id", "sentence_id").iter_rows()):
        head, _, index = (uid or "").rpartition("_")
        if post not in found:
            faults.append(marks.fault(row, f"post_id {shown(post)} is unknown", "a post of posts"))
        elif head != post or not index.isdigit():
            problem = f"sentence_id is {shown(uid)}"
            faults.append(marks.fault(row, problem, f"expected {post}_ and a number"))
    return faults


def _places(sentences: list[Sentence], index: int, text: str) -> list[int]:
    """Where the annotated text stands: at its index, else anywhere, else across sentences."""
    if index < len(sentences) and _same(sentences[index].text, text):
        return [index]
    for at, sentence in enumerate(sentences):
        if _same(sentence.text, text):
            return [at]
    bare, start, spans = _bare(text), 0, []
    for sentence in sentences:
        spans.append((start, start + len(_bare(sentence.text))))
        start = spans[-1][1] + 1
    begin = " ".join(_bare(each.text) for each in sentences).find(bare)
    if not bare or begin < 0:
        return []
    return [at for at, (low, high) in enumerate(spans) if low < begin + len(bare) and begin < high]


def _bare(text: str) -> str:
    return " ".join(text.split())


def _same(one: str, other: str) -> bool:
    return _bare(one) == _bare(other)


def _notes(what: str, rows: list[int]) -> list[str]:
    if not rows:
        return []
    first = ", ".join(map(str, rows[:SHOWN])) + (" …" if len(rows) > SHOWN else "")
    return [f"{len(rows)} annotations {what} (rows {first})"]
