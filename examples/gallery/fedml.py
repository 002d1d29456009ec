"""Heavy hitters of FedML, python/fedml/fa: TrieHH with words of one letter.

prover delta examples/gallery/fedml.py:trie --alpha 2
"""

import prover
from prover.language import hypergeometric, see


@prover.protocol
def trie(word: bool, others=7, words=105, batch=10, theta=5):
    """A letter is shown if at least ``theta`` of ``batch`` sampled words are this letter.

    Beside the one word, ``others`` words are this letter.
    """
    votes = hypergeometric(words, others + (1 if word else 0), batch)
    see("shown" if votes >= theta else "not shown")
