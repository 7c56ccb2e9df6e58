"""OSC 7501: reports read to the letter, records replaced as a whole, one record that speaks."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.status import program
from signaltty_core.status.program import Records, parse


def b64(text: str | bytes) -> bytes:
    return base64.b64encode(text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize(
    ("body", "report"),
    [
        (b"state=working", {"id": "", "state": "working"}),
        (b" state = idle \t", {"id": "", "state": "idle"}),
        (b"state=busy:state=idle", {"id": "", "state": "idle"}),
        (b"state=idle:state=bu sy", {"id": "", "state": "idle"}),
        (b"state=busy", None),
        (b"state=", None),
        (b"", None),
        (b"msg=AAAA", None),
        (b"state=idle:Foo=1:=x:novalue", {"id": "", "state": "idle"}),
        (b"state=idle:abcdefghijklmnopq=1", None),
        (b"state=idle:abcdefghijklmnop=1", {"id": "", "state": "idle"}),
        (b"state=idle:id=a/b.c", {"id": "a/b.c", "state": "idle"}),
        (b"state=idle:id=a//b", None),
        (b"state=idle:id=/a", None),
        (b"state=idle:id=a/", None),
        (b"state=idle:id=", None),
        (b"state=idle:id=a b", None),
        (b"state=idle:id=" + b"/".join([b"a"] * 8), {"id": "a/a/a/a/a/a/a/a", "state": "idle"}),
        (b"state=idle:id=" + b"/".join([b"a"] * 9), None),
        (b"state=idle:id=" + b"a" * 33, None),
        (b"state=idle:id=" + b"/".join([b"a" * 32] * 4), None),
        (b"state=idle:app=" + b"a" * 33, None),
        (b"state=idle:app=a/b", {"id": "", "state": "idle"}),
        (b"state=idle:app=pi", {"id": "", "state": "idle", "app": "pi"}),
        (b"state=working:progress=100", {"id": "", "state": "working", "progress": 100}),
        (b"state=working:progress=0", {"id": "", "state": "working", "progress": 0}),
        (b"state=working:progress=101", {"id": "", "state": "working"}),
        (b"state=working:progress=007", {"id": "", "state": "working"}),
        (b"state=working:progress=-1", {"id": "", "state": "working"}),
        (b"state=done:progress=50:kind=auth", {"id": "", "state": "done"}),
        (b"state=blocked:kind=auth:progress=5", {"id": "", "state": "blocked", "kind": "auth", "progress": 5}),
        (b"state=blocked:kind=coffee", {"id": "", "state": "blocked"}),
        (b"state=clear:msg=Gw==", None),
        (b"state=clear:id=a", {"id": "a", "state": "clear"}),
        (b"state=idle:msg=" + b64("grüß"), {"id": "", "state": "idle", "msg": "grüß"}),
        (b"state=idle:msg=" + b64("a").rstrip(b"="), {"id": "", "state": "idle", "msg": "a"}),
        (b"state=idle:msg=QQ=", None),
        (b"state=idle:msg=QR==", None),
        (b"state=idle:msg==", None),
        (b"state=idle:msg=Q", None),
        (b"state=idle:msg=ab_-", None),
        (b"state=idle:msg=" + b64(b"\xff"), None),
        (b"state=idle:msg=" + b64("\x1b"), None),
        (b"state=idle:msg=" + b64("\x9d"), None),
        (b"state=idle:title=" + b64("t" * 192), {"id": "", "state": "idle", "title": "t" * 192}),
        (b"state=idle:title=" + b64("t" * 193), None),
        (b"state=idle:msg=" + b64("m" * 2049), None),
        (b"state=idle:msg=" + b64("a\u202eb"), {"id": "", "state": "idle", "msg": "ab"}),
    ],
)
def test_a_report_is_taken_or_discarded_as_a_whole(body: bytes, report: dict[str, Any] | None) -> None:
    assert parse(body) == report


@given(st.binary(max_size=80).map(lambda tail: b"state=idle:" + tail))
def test_no_body_raises(body: bytes) -> None:
    assert parse(body) is None or parse(body)["state"] in (*program.STATES, "clear")  # type: ignore[index]


def told(*bodies: bytes) -> Records:
    records = Records()
    for number, body in enumerate(bodies):
        report = parse(body)
        assert report is not None
        if report["state"] == "clear":
            records.clear(report["id"])
        else:
            records.put(report, float(number), 7)
    return records


def ids(records: Records) -> list[str]:
    return [record["id"] for record in records.ranked()]


def test_a_clear_takes_the_record_and_all_below_it() -> None:
    reports = [b"state=idle:id=" + id for id in (b"a", b"a/b", b"ab")]
    assert ids(told(*reports, b"state=clear:id=a")) == ["ab"]
    assert ids(told(*reports, b"state=clear")) == []


def test_nothing_is_carried_over_but_the_app_of_the_nearest_ancestor() -> None:
    records = told(
        b"state=working:app=pi:progress=4", b"state=working", b"state=done:id=a:app=b", b"state=done:id=a/x/y"
    )
    by_id = {record["id"]: record for record in records.ranked()}
    assert "app" not in by_id[""]
    assert by_id["a/x/y"]["app"] == "b"


def test_the_257th_record_drops_the_oldest_but_never_the_root() -> None:
    records = told(b"state=idle", *(b"state=idle:id=r%d" % number for number in range(256)))
    assert (len(records), "" in ids(records), "r0" in ids(records), "r1" in ids(records)) == (256, True, False, True)


def test_questions_come_first_by_kind_then_work_then_the_root_then_results() -> None:
    records = told(
        b"state=idle:id=i",
        b"state=done:id=d",
        b"state=error:id=e",
        b"state=done",
        b"state=working:id=w1",
        b"state=working:id=w2",
        b"state=blocked:id=b",
        b"state=blocked:id=auth:kind=auth",
        b"state=blocked:id=q:kind=question",
        b"state=blocked:id=p:kind=permission",
    )
    assert ids(records) == ["p", "q", "auth", "b", "w2", "w1", "", "e", "d", "i"]


def test_results_outlive_their_reporter_and_nothing_else() -> None:
    records = told(b"state=working", b"state=done:id=d", b"state=idle:id=i")
    assert records.groups() == {7}
    assert records.drop_unfinished(8) is False
    assert records.drop_unfinished(7) is True
    assert (ids(records), records.groups()) == (["d"], set())
    assert records.drop_unfinished(7) is False


def test_a_summary_has_one_text() -> None:
    texts = []
    for body in (
        b"state=idle",
        b"state=working:progress=4:app=pi",
        b"state=blocked:kind=auth",
        b"state=blocked:progress=4",
    ):
        texts.append(program.value_of(told(body).summary()))
    assert [*texts, program.value_of(None)] == ["idle", "working 4% pi", "blocked:auth", "blocked", "none"]
