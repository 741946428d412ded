"""A small model of each kind, made here and never trained: the machinery is real, the weights are not."""

from __future__ import annotations

import json
from pathlib import Path

from tests.pipeline.conftest import FILLER, WORDS

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCABULARY = [*SPECIAL, *FILLER, *(word for words in WORDS.values() for word in words)]

LISTWISE = """
import torch
from transformers import BertConfig, PreTrainedModel


class Lists(PreTrainedModel):
    config_class = BertConfig

    def __init__(self, config):
        super().__init__(config)
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.post_init()

    def rerank(self, query, documents):
        scores = [float(len(set(query.split()) & set(each.split()))) for each in documents]
        order = sorted(range(len(documents)), key=lambda at: -scores[at])
        return [{"index": at, "relevance_score": scores[at]} for at in order]
"""


def bi_encoder(folder: Path) -> Path:
    """A BERT of one layer with mean pooling, as sentence-transformers reads it."""
    import torch  # the extra may be missing
    from transformers import BertModel

    torch.manual_seed(0)
    BertModel(_config()).save_pretrained(folder)
    _tokenizer(folder)
    return folder


def cross_encoder(folder: Path, labels: int = 1) -> Path:
    """The same with one score a pair on top."""
    import torch
    from transformers import BertForSequenceClassification

    torch.manual_seed(1)
    model = BertForSequenceClassification(_config(num_labels=labels))
    torch.nn.init.normal_(model.classifier.weight, std=3.0)  # scores that are not all but equal
    model.save_pretrained(folder)
    _tokenizer(folder)
    return folder


def listwise(folder: Path) -> Path:
    """A model that brings code along, with `rerank(query, documents)`."""
    import torch
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    (folder / "lists.py").write_text(LISTWISE)
    told = _config().to_dict() | {"auto_map": {"AutoModel": "lists.Lists"}}
    (folder / "config.json").write_text(json.dumps(told))
    save_file({"weight": torch.zeros(1)}, folder / "model.safetensors", {"format": "pt"})
    return folder


def _config(**more: object):  # type: ignore[no-untyped-def]
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        **more,
    )


def _tokenizer(folder: Path) -> None:
    from transformers import BertTokenizerFast

    words = {word: at for at, word in enumerate(VOCABULARY)}
    BertTokenizerFast(vocab=words).save_pretrained(folder)
