"""How a decoded chunk is cut: text runs, plain control sequences, control characters, other sequences, and the rest."""

from __future__ import annotations

import re

# text and the CRLF behind it | parameters and final of CSI | one control character | a complete sequence | ESC and more
cut = re.compile(
    "([^\x00-\x1f\x7f]+)(\r\n)?"
    "|\x1b\\[([0-9;]*)([@-~])"
    "|(\r\n|[\x00-\x1a\x1c-\x1f\x7f])"
    "|(\x1b(?:"
    "\\[[<-?]?[0-9;:]*[ -/]*[@-~]"
    "|\\][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\\\)"
    "|[PX^_][^\x18\x1a\x1b]*\x1b\\\\"
    "|[ -/]+[0-~]|[0-OQ-WYZ\\\\`-~]))"
    "|(\x1b[^\x1b]*)"
).findall
# prefix, parameters, intermediates, final
split_control = re.compile("\x1b\\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])").fullmatch
