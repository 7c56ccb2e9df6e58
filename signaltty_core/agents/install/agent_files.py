"""Which file each agent reads, and what stands in it: the table of agents §8.2."""

from __future__ import annotations

from posixpath import join, normpath

from .command import hook_command
from .entries import Entry, Groups, Items
from .hooks_file import HooksFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .plugin_file import PluginFile

WAIT_S = 125  # a person's 120 s and the way there and back (agents §8.2)
SINCE_FAILURES = (2, 1, 332)  # the first claude that is known to have the events of _FAILURES
_FAILURES = ("StopFailure", "PostToolUseFailure", "PermissionDenied")


class Hook:
    """An event in an agent's table. waits: it runs until a person has decided."""

    __slots__ = ("event", "matcher", "waits")

    def __init__(self, event: str, *, waits: bool = False, matcher: str = "") -> None:
        self.event = event
        self.waits = waits
        self.matcher = matcher


class Place:
    """Where an agent's file is: below a variable's directory when that is set, else below the home directory."""

    __slots__ = ("_below_home", "_variables")

    def __init__(self, below_home: str, *variables: tuple[str, str]) -> None:
        self._below_home = below_home
        self._variables = variables

    def find(self, environ: Mapping[str, str], home: str, cwd: str) -> str:
        """The file's path. cwd: where the agent starts, against which it reads a relative directory."""
        for name, below in self._variables:
            if environ.get(name):
                return normpath(join(cwd, environ[name], below))
        return normpath(join(home, self._below_home))


class Target:
    """One agent that can be configured by a file of hooks."""

    __slots__ = ("_hooks", "_timeout_s", "_unit", "agent", "asking", "file", "place")

    def __init__(
        self,
        agent: str,
        place: Place,
        file: HooksFile,
        *hooks: Hook,
        timeout_s: int = 10,
        unit: int = 1,
        asking: Hook | None = None,
    ) -> None:
        """unit: what one second is in the agent's own timeouts. asking: installed only when asked for by name."""
        self.agent = agent
        self.place = place
        self.file = file
        self.asking = asking
        self._hooks = hooks
        self._timeout_s = timeout_s
        self._unit = unit

    def entries(
        self, program: str, version: tuple[int, ...] | None, *, permissions: bool = False
    ) -> tuple[list[Entry], list[Entry]]:
        """What the file must run, and what it may run: such stays where it is. version: of the agent, if known."""
        wanted = list(self._hooks)
        optional: list[Hook] = []
        if self.agent == "claude":
            failures = _hooks(*_FAILURES)
            if version is None:
                optional += failures
            elif version >= SINCE_FAILURES:
                wanted += failures
        if self.asking is not None:
            (wanted if permissions else optional).append(self.asking)
        return [self._entry(hook, program) for hook in wanted], [self._entry(hook, program) for hook in optional]

    def _entry(self, hook: Hook, program: str) -> Entry:
        command = hook_command(program, self.agent, hook.event, waits=hook.waits)
        return Entry(hook.event, command, (WAIT_S if hook.waits else self._timeout_s) * self._unit, hook.matcher)


def _hooks(*events: str) -> tuple[Hook, ...]:
    return tuple(Hook(event) for event in events)


_WAITING = Hook("PermissionRequest", waits=True)
_GROUPS = HooksFile(Groups())
_GEMINI = _hooks("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "Notification", "SessionEnd")
_DROID = _hooks("SessionStart", "UserPromptSubmit", "Notification", "PostToolUse", "Stop", "SessionEnd")
_GOOSE = _hooks("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")
_COPILOT = _hooks(
    *("sessionStart", "userPromptSubmitted", "postToolUse", "agentStop", "errorOccurred", "notification", "sessionEnd")
)

TARGETS: dict[str, Target] = {
    target.agent: target
    for target in (
        Target(
            "claude",
            Place(".claude/settings.json", ("CLAUDE_CONFIG_DIR", "settings.json")),
            _GROUPS,
            *_hooks("SessionStart", "UserPromptSubmit", "Notification"),
            _WAITING,
            *_hooks("Stop", "SessionEnd"),
            Hook("PreToolUse", matcher="AskUserQuestion"),
            Hook("PostToolUse"),
        ),
        Target(
            "codex",
            Place(".codex/hooks.json", ("CODEX_HOME", "hooks.json")),
            _GROUPS,
            *_hooks("SessionStart", "UserPromptSubmit"),
            _WAITING,
            *_hooks("Stop", "SessionEnd", "PostToolUse"),
            timeout_s=3,
        ),
        Target(
            "cursor",
            Place(".cursor/hooks.json"),
            HooksFile(Items("command", "timeout", {}), version=1),
            *_hooks("sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd"),
        ),
        Target("gemini", Place(".gemini/settings.json"), _GROUPS, *_GEMINI, unit=1000),
        Target(
            "qwen",
            Place(".qwen/settings.json", ("QWEN_HOME", "settings.json")),
            _GROUPS,
            *_hooks("SessionStart", "UserPromptSubmit"),
            _WAITING,
            *_hooks("Notification", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure", "SessionEnd"),
            unit=1000,
        ),
        Target(
            "copilot",
            Place(".copilot/hooks/signaltty.json", ("COPILOT_HOME", "hooks/signaltty.json")),
            HooksFile(Items("bash", "timeoutSec", {"type": "command"}), version=1, own=True),
            *_COPILOT,
            asking=_WAITING,
        ),
        Target(
            "droid",
            Place(".factory/hooks.json", ("FACTORY_HOME_OVERRIDE", ".factory/hooks.json")),
            HooksFile(Groups(), at_root=True),
            *_DROID,
        ),
        Target(
            "goose",
            Place(".agents/plugins/signaltty/hooks/hooks.json"),
            HooksFile(Groups(has_matcher=False), own=True),
            *_GOOSE,
        ),
    )
}
PLUGIN_PLACES: dict[str, Place] = {
    "opencode": Place(
        ".config/opencode/plugins/signaltty.js",
        ("OPENCODE_CONFIG_DIR", "plugins/signaltty.js"),
        ("XDG_CONFIG_HOME", "opencode/plugins/signaltty.js"),
    ),
    "pi": Place(".pi/agent/extensions/signaltty.ts", ("PI_CODING_AGENT_DIR", "extensions/signaltty.ts")),
    "amp": Place(".config/amp/plugins/signaltty.ts"),
}
ON_ALL = ("claude", "codex", "opencode", "cursor", "pi", "copilot")  # what `all` means on the command line (cli §9)
KNOWN = (*TARGETS, *PLUGIN_PLACES)


def place_of(agent: str) -> Place:
    return TARGETS[agent].place if agent in TARGETS else PLUGIN_PLACES[agent]


def plugin_of(agent: str) -> PluginFile | None:
    """The agent's plugin; None when it reads a file of hooks."""
    if agent not in PLUGIN_PLACES:
        return None
    # the others' texts are of no use here
    if agent == "opencode":
        from .plugin_opencode import PLUGIN
    elif agent == "pi":
        from .plugin_pi import PLUGIN
    else:
        from .plugin_amp import PLUGIN
    return PLUGIN
