"""What features are called in explanations."""

from __future__ import annotations

from assay.pipeline.matching.pair_features import ALSO

COLUMNS = {
    "bm25": "BM25",
    "cosine": "TF-IDF cosine",
    "match": "matching score",
    "match_gate": "matching model's log-odds of evidence",
    "score": "sentence score",
    "node": "sentence score with context",
    "post_score": "score of the whole post",
    "evidence_score": "score of the likely evidence",
    "evidence_dense": "embedding score of the likely evidence",
    "dense_score": "embedding score",
    "semantic": "embedding cosine",
    "similarity": "encoder cosine",
    "late": "late interaction",
    "rerank": "cross-encoder score",
}
CRITERION = "criterion"
AMOUNT = "queries of the criterion with evidence in TRAIN"
SHARE = "share of the criterion's queries with evidence in TRAIN"
SENTENCES = "number of sentences"

_MATCHING = {
    "bm25": "BM25",
    "bm25_stem": "BM25 on stems",
    "cover": "question words covered, as written",
    "cover_stem": "question words covered, by stem",
    "cover_gram": "question words covered, by character trigrams",
    "cover_vector": "question words covered, by embeddings",
    "cover_bigram": "question words covered, in pairs",
    "cover_local": "question words covered, those rare in the post",
    "cover_around": "question words covered with both neighbours",
    "cover_before": "question words covered with the previous sentence",
    "cover_after": "question words covered with the next sentence",
    "cosine": "TF-IDF cosine",
    "rarest_covered": "rarest question word covered",
    "rarest_missing": "rarest question word not covered",
    "least_similar": "question word least like any other",
    "words_covered": "number of question words covered",
    "numbers_covered": "numbers of the question covered",
    "numbers_missing": "numbers of the question not covered",
    "names_covered": "names of the question covered",
    "names_missing": "names of the question not covered",
    "new_words": "words not in the question",
    "new_numbers": "numbers not in the question",
    "new_names": "names not in the question",
    "quoted": "quoted words",
    "length": "length of the sentence",
    "position": "position of the sentence",
    "relative_position": "relative position of the sentence",
    "candidates": SENTENCES,
    "answer_kind": "kind of answer",
    "words": "number of question words",
    "idf_total": "rarity of the question words, total",
    "idf_mean": "rarity of the question words, mean",
    "rarest": "rarest question word",
    "idf_missing": "rarity of the question words that no sentence covers",
    "rarest_missing_everywhere": "rarest question word that no sentence covers",
    "least_similar_everywhere": "question word least like any other in the post",
    "cover_together": "question words covered by all sentences, by stem",
    "cover_gram_together": "question words covered by all sentences, by character trigrams",
    "cover_vector_together": "question words covered by all sentences, by embeddings",
    "cover_bigram_together": "question words covered by all sentences, in pairs",
    "cover_gained": "question words covered by all sentences and not by one alone",
    "numbers": "numbers in the question",
    "numbers_missing_everywhere": "numbers of the question that no sentence covers",
    "names": "names in the question",
    "names_missing_everywhere": "names of the question that no sentence covers",
    "wording": "wording of the question",
    "match": "matching score",
    "match_best": "highest matching score",
    "match_gap": "highest matching score minus the 2nd highest",
    "match_mean": "mean matching score",
    "match_share": "share of the best match among all sentences",
}
_ENDINGS = {
    "_lead": "lead over the other sentences",
    "_over_mean": "minus the mean of the query",
    "_previous": "of the previous sentence",
    "_next": "of the next sentence",
    "_at_best": "of the best match",
    "_largest": "highest of all sentences",
    "_gap": "highest minus 2nd highest",
}


def column_name(column: str) -> str:
    """Return what a column is called; a column of a user's stage keeps its name.

    >>> column_name("post_score"), column_name("mine")
    ('score of the whole post', 'mine')
    """
    return COLUMNS.get(column, column)


def matching_name(name: str) -> str:
    """Return what a feature of the matching model is called.

    >>> matching_name("rarest_missing_at_best")
    'rarest question word not covered (of the best match)'
    >>> matching_name("also_semantic_lead")
    'embedding cosine (lead over the other sentences)'
    """
    if name in _MATCHING:
        return _MATCHING[name]
    for ending, said in _ENDINGS.items():
        if name.endswith(ending):
            return f"{matching_name(name.removesuffix(ending))} ({said})"
    return column_name(name.removeprefix(ALSO))


def ordinal(rank: int) -> str:
    """Return what the value at a rank from 0 is called.

    >>> [ordinal(rank) for rank in (0, 1, 2, 20, 21)]
    ['highest', '2nd highest', '3rd highest', '21st highest', '22nd highest']
    """
    if rank == 0:
        return "highest"
    number = rank + 1
    teens = number % 100 in (11, 12, 13)
    ending = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending} highest"
