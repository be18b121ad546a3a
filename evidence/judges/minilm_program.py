"""Sentence embeddings of all-MiniLM-L6-v2, in plain numpy. Runs in an environment of its own.

    python minilm_program.py FOLDER

FOLDER holds `model.safetensors` and `tokenizer.json` as the model's authors publish them. It reads one
JSON array of texts per line and writes one array of vectors of length 1 per line. A text longer than
the model reads at once is cut into windows, and its vector is the mean of theirs.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS = 6
HEADS = 12
NORM_EPSILON = 1e-12
WINDOW = 254  # word pieces; with the two marks around them, the 256 that the model was trained to read

_erf = np.frompyfunc(math.erf, 1, 1)


class MiniLm:
    """A BERT encoder whose sentence vector is the mean of its last layer."""

    def __init__(self, folder):
        self._weights = load_file(folder / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._first = self._tokenizer.token_to_id("[CLS]")
        self._last = self._tokenizer.token_to_id("[SEP]")

    def embed(self, text):
        """The vector of a text."""
        pieces = self._tokenizer.encode(text, add_special_tokens=False).ids
        windows = [pieces[at : at + WINDOW] for at in range(0, len(pieces), WINDOW)] or [[]]
        return unit(np.mean([unit(self._encode(window)) for window in windows], axis=0))

    def _encode(self, pieces):
        ids = [self._first, *pieces, self._last]
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        places = self._weights["embeddings.position_embeddings.weight"][: len(ids)]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        hidden = self._norm(words + places + kind, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{layer}")
        return hidden.mean(axis=0)

    def _layer(self, hidden, name):
        attended = self._dense(
            self._attend(hidden, f"{name}.attention.self"), f"{name}.attention.output.dense"
        )
        hidden = self._norm(hidden + attended, f"{name}.attention.output.LayerNorm")
        inner = gelu(self._dense(hidden, f"{name}.intermediate.dense"))
        return self._norm(hidden + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attend(self, hidden, name):
        query, key, value = (
            split_heads(self._dense(hidden, f"{name}.{part}")) for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return (weights @ value).transpose(1, 0, 2).reshape(hidden.shape)

    def _dense(self, hidden, name):
        return hidden @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, hidden, name):
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + NORM_EPSILON)
        return centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def split_heads(hidden):
    """From pieces × width to heads × pieces × width of a head."""
    return hidden.reshape(len(hidden), HEADS, -1).transpose(1, 0, 2)


def gelu(values):
    """The exact one, by the error function."""
    return values * 0.5 * (1 + _erf(values / math.sqrt(2)).astype(values.dtype))


def unit(vector):
    """The same direction, of length 1."""
    return vector / np.linalg.norm(vector)


def main():
    """Answer until the input ends."""
    model = MiniLm(Path(sys.argv[1]))
    for line in sys.stdin:
        vectors = [[float(value) for value in model.embed(text)] for text in json.loads(line)]
        sys.stdout.write(json.dumps(vectors) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
