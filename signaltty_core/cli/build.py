"""The same commands as click sees them, for the wording of every mistake."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from . import dispatch as plain
from . import help as plain_help
from . import table
from .near import nearest
from .session import write_error, write_output
from .spec import GLOBALS, Argument, Command, Kind, Option
from .words import split_rest

Act = Callable[[Command, "dict[str, Any]"], int]


class Word(click.ParamType):
    """A Kind in click's terms."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = kind.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):  # a default, already what it should be
            return value
        try:
            return self.kind.convert(value)
        except ValueError as fault:
            self.fail(f"{fault}.", param, ctx)


class TableCommand(click.Command):
    """One command of the table; the words after `--` never reach click."""

    def __init__(self, command: Command, act: Act, shared: list[click.Parameter]) -> None:
        self.command = command
        self.act = act
        params: list[click.Parameter] = [_argument(argument) for argument in command.arguments]
        params += [_option(option) for option in command.options]
        super().__init__(
            command.words[-1],
            callback=self.collect,
            params=[*params, *shared],
            add_help_option=False,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["argv"] = []
        if self.command.rest:
            args, rest = split_rest(self.command, args)
            ctx.meta["argv"] = rest or []
        try:
            return super().parse_args(ctx, list(args))
        except click.UsageError as fault:
            fault.ctx = fault.ctx or ctx  # a lacking value of an option is reported without
            if self.command.rest and "unexpected extra argument" in fault.message:
                fault.message = f"{fault.message.rstrip('.')}; a program to start stands behind `--`"
            raise

    def get_help(self, ctx: click.Context) -> str:
        return help_text(self.command.words)

    def collect(self, **given: Any) -> int:
        """Hand the values on, as the other parser would have found them."""
        context = click.get_current_context()
        values = {name: value for name, value in given.items() if not (value is None or value is False or value == ())}
        for option in self.command.options:
            if option.many and option.param in values:
                values[option.param] = list(values[option.param])
        _inherit(context, values)
        if self.command.rest:
            values["argv"] = context.meta["argv"]
        return self.act(self.command, values)


class Words(click.Group):
    """The commands that begin with the same words; each is built when it is asked for."""

    def __init__(self, begin: tuple[str, ...], act: Act, shared: list[click.Parameter]) -> None:
        super().__init__(
            begin[-1] if begin else "signaltty",
            params=shared,
            callback=_keep,
            add_help_option=False,
            no_args_is_help=True,
        )
        self.begin = begin
        self.act = act
        self.shared = shared

    def get_help(self, ctx: click.Context) -> str:
        return help_text(self.begin)

    def list_commands(self, ctx: click.Context) -> list[str]:
        if not self.begin:
            return sorted(table.MODULES)
        return sorted({command.words[len(self.begin)] for command in self._below(self.begin)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        path = (*self.begin, cmd_name)
        for command in self._below(path):
            if command.words == path:
                return TableCommand(command, self.act, self.shared)
            return Words(path, self.act, self.shared)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as fault:
            meant = nearest(self.begin, args[0])
            if meant:
                be = "is" if len(meant) == 1 else "are"
                fault.message = f"{fault.message.rstrip('.')}; the nearest {be} {', '.join(f'`{x}`' for x in meant)}"
            raise

    def _below(self, path: tuple[str, ...]) -> list[Command]:
        return [command for command in table.load(path[0]) if command.words[: len(path)] == path]


def help_text(words: tuple[str, ...]) -> str:
    return plain_help.text(words, plain_help.width()).rstrip("\n")


def run_by_click(argv: list[str]) -> int:
    """Run a command line through click; mistakes become a sentence and exit status 2."""
    root = build_root(lambda command, values: plain.run(command, values, argv))
    json = "--json" in argv
    try:
        with root.make_context("signaltty", list(argv)) as context:
            status = root.invoke(context)
            return status if isinstance(status, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as bare:
        write_error(bare.format_message())
        return 2
    except click.UsageError as fault:
        plain.complain(_sentence(fault), "USAGE", {}, json, coded=False)
        return _usage_status(fault)
    except click.Abort:
        return plain.INTERRUPTED


def build_root(act: Act) -> Words:
    """The whole table as click sees it; `act` gets the chosen command and its values."""
    return Words((), act, _globals())


def _keep(**given: Any) -> None:
    """A group does nothing; the command below reads its options from the contexts above it."""


def _inherit(context: click.Context, values: dict[str, Any]) -> None:
    """Global options given in front of the command's last word."""
    above = context.parent
    while above is not None:
        for option in GLOBALS:
            if above.params.get(option.param):
                values.setdefault(option.param, above.params[option.param])
        above = above.parent


def _globals() -> list[click.Parameter]:
    """The options every command takes, `--help` and `--version` among them: click's own print through sys.stdout."""

    def print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            write_output(plain_help.version())
            ctx.exit()

    def print_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            write_output(ctx.get_help() + "\n")
            ctx.exit()

    texts = dict(plain_help.OWN_OPTIONS)
    asked = {"is_flag": True, "is_eager": True, "expose_value": False}
    version = click.Option(["--version"], callback=print_version, help=texts["--version"], **asked)
    help = click.Option(["--help"], callback=print_help, help=texts["--help"], **asked)
    return [*(_option(option) for option in GLOBALS), version, help]


def _option(option: Option) -> click.Option:
    names = [option.param, option.name, *option.aliases]
    if option.kind is None:
        return click.Option(names, is_flag=True, help=option.help)
    # a default of None would count as a value, and nothing would be missing
    default = {} if option.default is None else {"default": option.default, "show_default": True}
    return click.Option(
        names,
        type=Word(option.kind),
        metavar=option.kind.metavar,
        required=option.required,
        multiple=option.many,
        help=option.help,
        **default,
    )


def _argument(argument: Argument) -> click.Argument:
    return click.Argument([argument.param], type=Word(argument.kind), required=argument.required, metavar=argument.name)


def _sentence(fault: click.UsageError) -> str:
    """click's message as one line, and where help is."""
    message = fault.format_message().rstrip(".")
    if isinstance(fault, click.NoSuchOption):  # worded anew from version to version
        message = f"no such option '{fault.option_name}'"
    where = fault.ctx.command_path if fault.ctx is not None else "signaltty"
    return f"{message[:1].lower()}{message[1:]}; see `{where} --help`"


def _usage_status(fault: click.UsageError) -> int:
    command = fault.ctx.command if fault.ctx is not None else None
    return command.command.usage_status if isinstance(command, TableCommand) else 2
