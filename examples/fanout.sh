#!/bin/sh
# fanout.sh REPO [WORKER…]: one orchestrator, three workers. Each gets an objective and a worktree of its own; then the
# results are read, and what is completed and merges goes into the branch that is checked out in REPO.
# WORKER is the command of an agent, by default `claude`. Needs signaltty and git, nothing else.
set -eu
repo=$1
shift
[ $# -gt 0 ] || set -- claude
context=fanout-$$

begin() { # LABEL OBJECTIVE WORKER…: prints the task's id
    label=$1 objective=$2
    shift 2
    # the request id makes a repeated start harmless; the parent is the pane this runs in, if it runs in one
    said=$(signaltty task start --repo "$repo" --context "$context" --label "$label" \
        --client-request-id "$context-$label" ${SIGNALTTY_PANE:+--parent-pane "$SIGNALTTY_PANE"} \
        --objective "$objective" --constraints 'Change no other file.' \
        --acceptance-criteria 'the work is committed' -- "$@")
    echo "$said" >&2
    set -- $said
    echo "$2"
}

docs=$(begin docs 'Write a paragraph about this project into docs.md.' "$@")
tests=$(begin tests 'Write down in tests.md which tests are missing.' "$@")
notes=$(begin notes 'Write open questions into notes.md.' "$@")

# settled: over, or waiting for a person
signaltty task wait --context "$context" --timeout "${FANOUT_TIMEOUT_S:-1800}"

status=0
for task in "$docs" "$tests" "$notes"; do
    signaltty task get "$task"
    signaltty task diff "$task"
    if ! signaltty task finish "$task" --merge; then
        echo "fanout: $task stays for a person; see: signaltty --json task get $task" >&2
        status=1
    fi
done
git -C "$repo" log --oneline --graph -8
exit $status
