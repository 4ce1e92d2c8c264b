"""Key words of many steps at once are those of a key folded step by step."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from algorithms.core.key import Key
from algorithms.kernels.key_words import ending_of, folded, narrower_words, step_words

words = st.integers(0, 2**32 - 1)


@given(words, words, st.text(max_size=150), st.integers(0, 2**40), st.integers(0, 4))
@example(0, 0, "gradient", 0, 12)
@example(2**32 - 1, 10, "compress", 99, 3)
def test_equal_to_folding_one_by_one(k0, k1, purpose, first, count):
    key = Key((k0, k1))
    found = step_words(key.words, purpose, first, count)
    wanted = [key.fold(purpose, t).words for t in range(first, first + count)]
    assert [tuple(pair) for pair in found.tolist()] == wanted


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1),
    st.lists(st.integers(-9, 10**12) | st.text(max_size=90), min_size=1, max_size=3),
)  # fmt: skip
def test_one_key_equals_the_folded_one(k0, k1, words):
    ending = np.array(ending_of(*words))
    assert folded(k0, k1, ending) == Key((k0, k1)).fold(*words).words


@given(words, words, st.text(max_size=20), st.integers(0, 3))
def test_narrower_words_are_folded_of_each_key(k0, k1, purpose, count):
    keys = [Key((k0, k1)), Key((k1, k0))]
    found = narrower_words(np.array([key.words for key in keys]), purpose, count)
    assert found.tolist() == [
        [list(key.fold(purpose, b).words) for b in range(count)] for key in keys
    ]
