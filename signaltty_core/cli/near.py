"""What somebody may have meant: the commands close to a word that is none."""

from __future__ import annotations

from . import table

MOST = 3
LIKENESS = 0.7  # of difflib: a swapped or lacking letter passes, another word does not


def nearest(begin: tuple[str, ...], word: str) -> list[str]:
    """At most three command lines without arguments: those that end in the word, else those spelled like it."""
    from difflib import get_close_matches  # needs re: only a mistake pays for it

    shown = [command.words for command in table.every() if not command.hidden]
    elsewhere = [" ".join(words) for words in shown if words[-1] == word and len(words) > 1]
    if elsewhere:
        return elsewhere[:MOST]
    depth = len(begin)
    here = sorted({words[depth] for words in shown if words[:depth] == begin and len(words) > depth})
    return [" ".join((*begin, close)) for close in get_close_matches(word, here, MOST, LIKENESS)]
