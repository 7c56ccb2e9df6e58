"""Starting one program for a pane: what it is told, how it begins, how its records appear (behaviour §8.1, §8.2)."""

from __future__ import annotations

from posixpath import isabs, join, normpath

from ...agents import table as agents
from ...base.errors import BadParams, NoSuchTab, NoSuchWorkspace, ProtocolError
from ...base.limits import TITLE_CHARS
from ...base.text import sanitise
from ...state import environment, layout, records
from ...state.effects import Spawn
from ...status.signals import with_socket
from .integration import configure
from ..checkouts.places import Entering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft, Record
    from ..call import Call


class Launch:
    """One child that is wanted, and once `begin` has run, one that lives: everything its pane record needs.

    pane_id: the pane that gets a new child; None for a new pane.
    """

    __slots__ = (
        "agent",
        "argv",
        "child",
        "cwd",
        "ears",
        "entering",
        "integration",
        "is_new",
        "lineage",
        "pane_id",
        "process_instance",
        "size",
    )

    def __init__(
        self,
        call: Call,
        argv: list[str],
        cwd: str,
        size: Record,
        agent: Record,
        lineage: Record,
        pane_id: str | None = None,
    ) -> None:
        self.is_new = pane_id is None
        self.pane_id = pane_id or call.new_id("pane")
        self.process_instance = call.new_id("process")
        self.argv = _anchored(argv, cwd)
        self.cwd = cwd
        self.size = size
        self.agent = agent
        self.lineage = lineage
        self.child: Record = {}
        self.ears: Record = {}
        self.entering = Entering(call, cwd)
        self.integration: Record | None = None

    async def begin(self, call: Call, workspace_id: str, tab_id: str, env: dict[str, str]) -> None:
        """Start the child. Raises SpawnFailed or BadParams; then nothing remains of it."""
        call.machine.expect(self.pane_id)
        try:
            await self.entering.begin()
            environ = self._environment(call, workspace_id, tab_id, env)
            setup = await configure(call, self.argv, self.cwd, environ, env)
            path, fault = call.machine.listen(self.pane_id)
            self.ears = {"status_socket": path} if path is not None else {"status_socket_fault": fault}
            environ = self._environment(call, workspace_id, tab_id, env)
            argv = self.argv
            if setup is not None:
                argv, self.integration = setup.argv, setup.result
                environ.update(setup.environ)
            self.child = await Spawn(
                self.pane_id, with_socket(argv, path), self.cwd, environ, self.size["cols"], self.size["rows"]
            )
        except BaseException:
            self._forget(call)
            raise

    def publish(self, call: Call, draft: Draft, workspace_id: str, tab_id: str) -> Record:
        """Put the pane's records into the change; its output is read once the change is made."""
        pane = draft.put(
            "panes",
            records.pane(
                self.pane_id,
                workspace_id,
                tab_id,
                title=records.title_of(self.argv),
                cwd=self.cwd,
                argv=self.argv,
                pty_size=self.size,
                agent=self.agent,
                at=draft.at,
                lineage=self.lineage,
            ),
        )
        self.put_instance(call, draft)
        draft.emit("pane.created", {"pane": pane})
        return pane

    def publish_alone(self, call: Call, draft: Draft, tab: Record) -> Record:
        """The same, as the only pane of an empty tab that is part of the change."""
        pane = self.publish(call, draft, tab["workspace_id"], tab["id"])
        tab.update(layout=layout.leaf(pane["id"]), active_pane_id=pane["id"])
        draft.emit("tab.updated", {"tab": tab})
        return pane

    def put_instance(self, call: Call, draft: Draft) -> None:
        """The facts of the child, which begin here."""
        child = {**self.child, **self.ears}
        draft.put("instances", records.instance(self.pane_id, self.process_instance, call.world.seq, child))

    def answer(self, pane: Record) -> Record:
        """What the caller gets: the pane, and how its agent was configured."""
        return {"pane": pane} if self.integration is None else {"pane": pane, "integration": self.integration}

    def open(self, call: Call) -> None:
        """The pane stands in the World: read its output."""
        self.entering.end()
        call.machine.open_runtime(self.pane_id, self.size["cols"], self.size["rows"])

    def abandon(self, call: Call) -> None:
        """The place it was meant for has gone: end the child."""
        self._forget(call)
        call.machine.end(self.pane_id, "KILL")

    def _forget(self, call: Call) -> None:
        self.entering.end()
        if self.is_new:  # a pane's socket outlives its children
            call.machine.mute(self.pane_id)
        call.machine.give_up(self.pane_id)

    def _environment(self, call: Call, workspace_id: str, tab_id: str, env: dict[str, str]) -> dict[str, str]:
        settings = call.settings
        fixed = environment.pane_variables(
            pane_id=self.pane_id,
            workspace_id=workspace_id,
            tab_id=tab_id,
            socket_path=settings.socket_path,
            program=settings.program,
            python=settings.python,
            hook_program=settings.hook_program,
            token=environment.pane_token(settings.token_secret(), self.pane_id),
            parent_pane_id=self.lineage.get("parent_pane_id"),
            task_id=self.lineage.get("task_id"),
            status_socket=self.ears.get("status_socket"),
        )
        return environment.child_environment(settings.environ, env, fixed)


def _anchored(argv: list[str], cwd: str) -> list[str]:
    """argv with a relative program path made absolute, so that later changes of directory cannot redirect a resume."""
    program = argv[0]
    if not program:
        raise BadParams("argv[0]: must not be empty", path="argv[0]")
    if "/" in program and not isabs(program):
        return [normpath(join(cwd, program)), *argv[1:]]
    return list(argv)


def agent_record(call: Call, argv: list[str], hint: str | None, env: dict[str, str], cwd: str) -> Record:
    agent: Record = {"kind": agents.kind_at_spawn(argv, hint, call.catalog.kind_of_program)}
    kept = environment.kept_configuration(env, cwd)
    if kept:
        agent["config_env"] = kept
    return agent


def lineage_of(
    call: Call, parent_pane_id: str | None, label: str | None, relationship: str | None, task_id: str | None
) -> Record:
    """What a new pane's record says of where it comes from. Raises NoSuchPane for an unknown parent."""
    lineage: Record = {}
    if parent_pane_id is not None:
        parent = call.world.pane(parent_pane_id)
        lineage["parent_pane_id"] = parent["id"]
        lineage["root_pane_id"] = parent.get("root_pane_id", parent["id"])
    if label is not None:
        lineage["label"] = sanitise(label, TITLE_CHARS)
    if relationship is not None:
        lineage["relationship"] = relationship
    if task_id is not None:
        lineage["task_id"] = task_id
    return lineage


def gone(call: Call, workspace_id: str) -> ProtocolError:
    """What went away while the child was being started."""
    if workspace_id not in call.world.workspaces:
        return NoSuchWorkspace("the workspace was closed meanwhile", workspace_id=workspace_id)
    return NoSuchTab("the pane's place was closed meanwhile")
