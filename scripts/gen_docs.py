"""Writes docs/rpc.md and docs/cli.md from the tables the program itself runs on. --check: fail when they are stale."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from signaltty_core.base.errors import CODES  # noqa: E402
from signaltty_core.cli import table  # noqa: E402
from signaltty_core.cli.spec import GLOBALS, Command, Option  # noqa: E402
from signaltty_core.methods import registry  # noqa: E402
from signaltty_core.methods.server import EVENTS  # noqa: E402

NOTE = "<!-- made by scripts/gen_docs.py from the program's own tables; edit those -->\n"


def type_of(schema: dict[str, object]) -> str:
    """A parameter's type in a few words."""
    if "enum" in schema:
        return " \\| ".join(f"`{one}`" for one in schema["enum"])  # type: ignore[attr-defined]
    if "anyOf" in schema:
        return " or ".join(type_of(one) for one in schema["anyOf"])  # type: ignore[attr-defined]
    kind = str(schema.get("type", "any"))
    if kind == "array":
        return f"array of {type_of(schema['items'])}"  # type: ignore[arg-type]
    bounds = [f"{word} {schema[key]}" for key, word in (("minimum", "≥"), ("maximum", "≤")) if key in schema]
    noun = f" ({schema['x-ref']})" if "x-ref" in schema else ""
    return kind + noun + (f" {', '.join(bounds)}" if bounds else "")


def rpc() -> str:
    out = [NOTE, "# Methods\n", "One JSON object per line on the server's socket; see [protocols.md](protocols.md).\n"]
    for method in registry.every():
        out.append(f"## `{method.name}`\n\n{method.summary}\n")
        params = method.params()
        if params:
            out.append("| parameter | type | | |\n|---|---|---|---|")
            for param in params:
                need = "required" if param.default is registry.REQUIRED else ""
                out.append(f"| `{param.name}` | {type_of(param.kind.schema)} | {need} | {param.doc} |")
            out.append("")
        errors = [code for code in method.errors if code != "none"]
        out.append("Errors: " + (", ".join(f"`{code}`" for code in errors) if errors else "none") + ".\n")
    out.append("# Events\n\n" + "\n".join(f"* `{event}`" for event in EVENTS) + "\n")
    out.append("# Error codes\n\n" + "\n".join(f"* `{code}`" for code in CODES) + "\n")
    return "\n".join(out)


def line_of(command: Command) -> str:
    """The usage line: words, arguments, what may follow `--`."""
    words = ["signaltty", *command.words]
    words += [one.name if one.required else f"[{one.name}]" for one in command.arguments]
    if command.options:
        words.append("[OPTIONS]")
    if command.rest:
        words.append(f"-- {command.rest}")
    return " ".join(words)


def option_row(option: Option) -> str:
    names = ", ".join((option.name, *option.aliases))
    value = ""
    if option.kind is not None:
        value = " " + ("\\|".join(option.kind.choices) or option.kind.metavar)
    extra = "required" if option.required else f"default {option.default}" if option.default is not None else ""
    return f"| `{names}{value}` | {option.help} | {extra} |"


def cli() -> str:
    out = [NOTE, "# Commands\n", "Options of every command, anywhere before `--`:\n", "| option | | |\n|---|---|---|"]
    out += [option_row(option) for option in GLOBALS]
    shown = [command for command in table.every() if not command.hidden]
    for title, firsts, example in table.GROUPS:
        out.append(f"\n## {title}\n\n```\n{example}\n```\n")
        for command in shown:
            if command.words[0] in firsts:
                out.append(f"### `{line_of(command)}`\n\n{command.summary}\n")
                if command.options:
                    out.append("| option | | |\n|---|---|---|")
                    out += [option_row(option) for option in command.options]
                    out.append("")
    return "\n".join(out)


def main() -> int:
    stale = []
    for name, text in (("rpc.md", rpc()), ("cli.md", cli())):
        path = ROOT / "docs" / name
        text = text.rstrip("\n") + "\n"
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"docs are stale: {', '.join(stale)}; run scripts/gen_docs.py", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
