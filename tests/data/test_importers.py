"""Data sets of others as a corpus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from assay.cli.app import run
from assay.data.corpus import Corpus, read_corpus
from assay.data.importers.sentence_split import sentences_of
from assay.errors import InputError


def imported(kind: str, out: Path, *files: Path) -> Corpus:
    run(["import", kind, *map(str, files), "-o", str(out)])
    return read_corpus(out)


def gold(corpus: Corpus) -> list[tuple[str, ...]]:
    return corpus.gold.frame.select("post_id", "criterion_id", "sent_uid").rows()


def redsm5(folder: Path, annotations: Sequence[tuple[str, ...]]) -> list[Path]:
    posts = pl.DataFrame(
        {"post_id": ["s1", "s2", "s3"], "text": ["I am sad. I sleep badly.", "All is fine.", " "]}
    )
    names = ["post_id", "sentence_id", "sentence_text", "DSM5_symptom", "status", "explanation"]
    marks = pl.DataFrame(annotations, schema=names, orient="row")
    posts.write_csv(folder / "posts.csv")
    marks.write_csv(folder / "annotations.csv")
    return [folder / "posts.csv", folder / "annotations.csv"]


def test_redsm5(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = redsm5(
        tmp_path,
        [
            ("s1", "s1_0", "I am  sad.", "DEPRESSED_MOOD", "1", "because"),
            ("s1", "s1_0", "I sleep badly.", "SLEEP_ISSUES", "1", "moved"),
            ("s1", "s1_1", "Nobody wrote this.", "FATIGUE", "1", "lost"),
            ("s2", "s2_0", "All is fine.", "FATIGUE", "0", "no"),
            ("s1", "s1_0", "sad. I sleep", "ANHEDONIA", "1", "cut otherwise"),
        ],
    )
    corpus = imported("redsm5", tmp_path / "out", *files)
    assert gold(corpus) == [
        ("s1", "DEPRESSED_MOOD", "s1_0"),
        ("s1", "SLEEP_ISSUES", "s1_1"),
        ("s1", "ANHEDONIA", "s1_0"),
        ("s1", "ANHEDONIA", "s1_1"),
    ]
    assert corpus.criteria.frame["text"].to_list() == [
        "anhedonia",
        "depressed mood",
        "fatigue",
        "sleep issues",
    ]
    assert corpus.queries.frame.height == 8
    said = capsys.readouterr()
    assert "1 of 5 annotations match another sentence of the post, which was used (rows 3)" in said.err
    assert "1 of 5 annotations do not match the text of their post in posts.csv" in said.err
    assert "row 4: s1_1, most similar to s1_0 (0% of the words in common)" in said.err
    assert "1 of 5 annotations match part of a sentence or several" in said.err
    assert "1 annotations are not evidence" in said.err
    assert "1 posts without a sentence were left out: 's3'" in said.err
    assert "Nobody wrote" not in said.err
    assert "2 posts, 3 sentences, 4 criteria, 8 queries, 3 with evidence" in said.out


def test_redsm5_faults_come_at_once(tmp_path: Path) -> None:
    files = redsm5(
        tmp_path,
        [
            ("s9", "s9_0", "x", "A", "1", ""),
            ("s1", "s2_0", "x", "A", "1", ""),
            ("s1", "s1_x", "x", "A", "1", ""),
        ],
    )
    with pytest.raises(InputError) as error:
        imported("redsm5", tmp_path / "out", *files)
    assert [fault.row for fault in error.value.faults] == [2, 3, 4]
    assert not (tmp_path / "out").exists()


def test_redsm5_matches_whatever_blanks_quotes_and_final_punctuation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    posts = pl.DataFrame({"post_id": ["s1"], "text": ["I don’t “care”. I sleep badly!\u00a0 Help me..."]})
    posts.write_csv(tmp_path / "posts.csv")
    names = ["post_id", "sentence_id", "sentence_text", "DSM5_symptom", "status"]
    rows = [
        ("s1", "s1_0", 'I don\'t "care"', "ANHEDONIA", "1"),
        ("s1", "s1_1", "I  sleep badly", "SLEEP_ISSUES", "1.0"),
        ("s1", "s1_2", "Help me", "FATIGUE", "1"),
        ("s1", "s1_0", 'care". I sleep', "GUILT", "1"),
    ]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(tmp_path / "annotations.csv")
    corpus = imported("redsm5", tmp_path / "out", tmp_path / "posts.csv", tmp_path / "annotations.csv")
    assert gold(corpus) == [
        ("s1", "ANHEDONIA", "s1_0"),
        ("s1", "SLEEP_ISSUES", "s1_1"),
        ("s1", "FATIGUE", "s1_2"),
        ("s1", "GUILT", "s1_0"),
        ("s1", "GUILT", "s1_1"),
    ]
    said = capsys.readouterr().err
    assert "do not match" not in said
    assert "match another sentence" not in said


def test_redsm5_of_another_release_names_both_files_and_pairs(tmp_path: Path) -> None:
    rows = [("s1", "s1_0", "I was sad then.", "A", "1", ""), ("s2", "s2_0", "Else.", "A", "1", "")]
    with pytest.raises(InputError) as error:
        imported("redsm5", tmp_path / "out", *redsm5(tmp_path, rows))
    message = str(error.value)
    assert message.startswith(
        "annotations.csv: has 2 annotations, but the text of 2 is not in its post in posts.csv"
    )
    assert "row 2: s1_0, most similar to s1_0" in message
    assert "sad" not in message
    assert not (tmp_path / "out").exists()


def test_redsm5_shows_texts_only_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("s1", "s1_0", "I am sad.", "A", "1", ""), ("s2", "s2_0", "All was fine.", "A", "1", "")]
    files = [str(each) for each in redsm5(tmp_path, rows)]
    run(["import", "redsm5", *files, "-o", str(tmp_path / "a")])
    assert "All was fine" not in capsys.readouterr().err
    run(["import", "redsm5", *files, "-o", str(tmp_path / "b"), "--with-text"])
    assert "annotation: All was fine.\n  post: All is fine." in capsys.readouterr().err


def test_redsm5_status_must_be_known(tmp_path: Path) -> None:
    rows = [("s1", "s1_0", "I am sad.", "A", "", ""), ("s1", "s1_0", "I am sad.", "A", "yes", "")]
    with pytest.raises(InputError, match="expected 1 \\(evidence\\) or 0"):
        imported("redsm5", tmp_path / "out", *redsm5(tmp_path, rows))


def test_squad2(tmp_path: Path) -> None:
    context = "Oslo is the capital. It lies by the sea. Bergen is wet."
    questions = [
        {
            "id": "q1",
            "question": "Where is it wet?",
            "is_impossible": False,
            "answers": [{"text": "Bergen", "answer_start": context.index("Bergen")}],
        },
        {"id": "q2", "question": "Who rules Mars?", "is_impossible": True, "answers": []},
    ]
    document = {"version": "v2.0", "data": [{"paragraphs": [{"context": context, "qas": questions}]}]}
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(document))
    corpus = imported("squad2", tmp_path / "out", path)
    assert gold(corpus) == [("p1", "q1", "p1_2")]
    assert corpus.queries.frame.rows() == [("p1", "q1"), ("p1", "q2")]
    assert corpus.sentences.frame["text"][2] == "Bergen is wet."


def test_contractnli(tmp_path: Path) -> None:
    text = "The Party shall. Not disclose. "
    document = {
        "documents": [
            {
                "id": 7,
                "text": text,
                "spans": [[0, 16], [17, 30], [30, 31]],
                "annotation_sets": [
                    {
                        "annotations": {
                            "nda-1": {"choice": "Entailment", "spans": [1]},
                            "nda-2": {"choice": "NotMentioned", "spans": []},
                        }
                    }
                ],
            }
        ],
        "labels": {"nda-1": {"hypothesis": "No disclosure."}, "nda-2": {"hypothesis": "Return."}},
    }
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(document))
    corpus = imported("contractnli", tmp_path / "out", path)
    assert gold(corpus) == [("7", "nda-1", "7_1")]
    assert corpus.sentences.frame["text"].to_list() == ["The Party shall.", "Not disclose."]
    path.write_text('{"documents": [{}], "labels": {}}')
    with pytest.raises(InputError, match="is malformed"):
        imported("contractnli", tmp_path / "other", path)


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"post": 1, "criterion": "c", "criterion_text": "is it?", "sentences": ["a", "b"], "evidence": [1]}\n'
        '\n{"post": 2, "criterion": "c", "text": "One here. Two there.", "evidence": []}\n'
    )
    corpus = imported("jsonl", tmp_path / "out", path)
    assert gold(corpus) == [("1", "c", "1_1")]
    assert corpus.queries.frame.height == 2
    assert corpus.sentences.frame.height == 4
    path.write_text(
        '{"post": 1, "criterion": "c", "sentences": ["a"], "evidence": [1]}\nnot json\n'
        '{"post": 3, "criterion": "c", "sentences": [], "evidence": []}\n{"post": 3}\n'
        '{"post": 1, "criterion": "d", "sentences": ["z"], "evidence": [0]}\n'
    )
    with pytest.raises(InputError) as error:
        imported("jsonl", tmp_path / "other", path)
    assert [fault.row for fault in error.value.faults] == [1, 2, 3, 4, 5]


def test_unknown_kinds_and_numbers_of_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("{}")
    with pytest.raises(InputError, match="expected redsm5, squad2"):
        imported("bioasq", tmp_path / "out", tmp_path / "a")
    with pytest.raises(InputError, match="redsm5 takes 2"):
        imported("redsm5", tmp_path / "out", tmp_path / "a")
    with pytest.raises(InputError, match="file not found"):
        imported("squad2", tmp_path / "out", tmp_path / "b")


def test_sentences_keep_their_places() -> None:
    text = "I saw Dr. Smith at 3 p.m.  It hurt!\n\nDid it? Yes."
    found = sentences_of(text)
    assert len(found) >= 3
    for each in found:
        assert text[each.start : each.end] == each.text
        assert each.text == each.text.strip()
    assert sentences_of("  \n ") == []


def test_all_absent_files_are_named(tmp_path: Path) -> None:
    files = [tmp_path / "posts.csv", tmp_path / "annotations.csv"]
    with pytest.raises(InputError) as refused:
        run(["import", "redsm5", *map(str, files), "-o", str(tmp_path / "out")])
    assert [fault.source for fault in refused.value.faults] == sorted(map(str, files))
