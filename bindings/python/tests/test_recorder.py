"""The verbs of the writing side: each does what it says, and its arguments arrive."""

import datetime

import pytest

import stele

UTC = datetime.timezone.utc


def test_a_fact_carries_all_that_was_said(record, recorder):
    parts = recorder.component("auth")
    task = recorder.task("Rotate the keys")
    created = datetime.datetime(2024, 1, 2, 3, 4, 5, 6000, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    recorded = recorder.fact(
        "lesson",
        "Keys expire on Sundays",
        body="Seen in src/auth.rs: error E0042.",
        alias="L-1",
        tags=("auth", "keys"),
        component=parts.id,
        anchors=["src/auth.rs", ("src/keys.rs", "Ring"), {"path": "src/ring.rs"}],
        source={"uri": "docs/keys.md", "quote": "keys expire", "known": "observed"},
        created_at=created,
        expires_at="2999-05-06",
        resolves_with=task.id,
        review_at="2998-01-01T00:00:00Z",
    )
    node = record.retriever().get("L-1")
    assert (node.id, node.kind, node.category, node.state) == (recorded.id, "knowledge", "lesson", "live")
    assert (node.title, node.tags, node.aliases, node.component) == ("Keys expire on Sundays", ["auth", "keys"], ["L-1"], parts.id)
    assert [(anchor.path, anchor.symbol) for anchor in node.anchors] == [("src/auth.rs", None), ("src/keys.rs", "Ring"), ("src/ring.rs", None)]
    assert (node.source.uri, node.source.quote, node.source.known) == ("docs/keys.md", "keys expire", "observed")
    assert node.created_at == created and node.created_at.tzinfo == UTC
    assert node.expires_at == datetime.datetime(2999, 5, 6, tzinfo=UTC)
    assert node.resolves_with == task.id
    assert (node.actor, node.session, node.revision) == ("ana", None, 1)


def test_a_task_and_a_rule_carry_what_only_they_have(record, recorder):
    task = record.retriever().get(recorder.task("Ship it", type="milestone", success_criteria="It is out", priority=0).id)
    assert (task.type, task.priority, task.success_criteria, task.status, task.statement) == ("milestone", 0, "It is out", "open", None)
    rule = recorder.rule("Say less", statement="Answer in one line", severity="high", forbidden=["as an AI"], points=("prompt",), mandatory=True)
    node = record.retriever().get(rule.id)
    assert (node.statement, node.severity, node.forbidden, node.points) == ("Answer in one line", "high", ["as an AI"], ["prompt"])
    assert (node.mandatory, node.always_on, node.trigger, node.priority) == (True, False, "", None)


def test_documents_diagrams_and_components_have_their_kinds(record, recorder):
    parent = recorder.component("core")
    made = [recorder.document("Guide", body="# How"), recorder.diagram("Flow", body="a -> b"), recorder.component("log", parent=parent.id)]
    nodes = [record.retriever().get(each.id) for each in made]
    assert [node.kind for node in nodes] == ["document", "diagram", "component"]
    assert nodes[2].component == parent.id


def test_a_revision_leaves_what_it_does_not_name_and_clears_with_none(record, recorder):
    fact = recorder.fact("fyi", "Old title", body="Body", review_at="2999-01-01")
    recorder.revise(fact.id, title="New title")
    node = record.retriever().get(fact.id)
    assert (node.title, node.body, node.revision) == ("New title", "Body", 2)
    assert node.review_at is not None
    recorder.revise(fact.id, review_at=None)
    assert record.retriever().get(fact.id).review_at is None


def test_edges_are_drawn_and_taken_away(record, recorder):
    a, b = recorder.fact("fyi", "One thing").id, recorder.fact("fyi", "Another thing").id
    recorder.link(a, "relates-to", b, reason="They meet")
    (found,) = record.retriever().neighbours(a)
    assert (found.id, found.relation, found.outgoing, found.reason) == (b, "relates-to", True, "They meet")
    recorder.unlink(a, "relates-to", b, why="They do not")
    assert record.retriever().neighbours(a) == []


def test_a_retirement_needs_a_line_that_stands_somewhere_and_can_be_undone(record, recorder):
    old, new = recorder.fact("decision", "Use a queue").id, recorder.fact("decision", "Use a table").id
    with pytest.raises(stele.InvalidError) as caught:
        recorder.supersede(new, old, reason="The queue is gone", evidence="the queue was shut down")
    assert caught.value.code == "evidence_not_found"
    minutes = {"text": "On Monday the queue was shut down.", "uri": "minutes.md"}
    recorder.supersede(new, old, reason="The queue is gone", evidence="the queue was shut down", source_text=minutes)
    assert record.retriever().get(old).retired_by == [new]
    recorder.demote(new, old, why="It runs again")
    assert record.retriever().get(old).state == "live"


def test_small_verbs_change_the_node(record, recorder):
    parent, fact = recorder.component("core").id, recorder.fact("fyi", "A thing", tags=["a"]).id
    get = record.retriever().get
    assert recorder.retag(fact, add=["b"], remove=["a"]) == fact and get(fact).tags == ["b"]
    assert recorder.move(fact, component=parent) == fact and get(fact).component == parent
    recorder.anchor(fact, add=["src/a.rs", "src/b.rs"], remove=())
    recorder.anchor(fact, remove=["src/a.rs"])
    assert [anchor.path for anchor in get(fact).anchors] == ["src/b.rs"]
    assert recorder.review(fact, note="Looked") == fact and get(fact).verified_at is not None
    assert recorder.archive(fact, why="Done") == fact and get(fact).state == "archived"


def test_a_credential_is_refused_unless_allowed(recorder):
    secret = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA75\n-----END RSA PRIVATE KEY-----"
    with pytest.raises(stele.InvalidError) as caught:
        recorder.fact("fyi", "The key", body=secret)
    assert caught.value.code == "secret"
    assert recorder.fact("fyi", "The key", body=secret, allow_secrets=True).id == "KNOW-1"


def test_advice_names_what_it_is_about(recorder):
    first = recorder.fact("decision", "Keep sessions in PostgreSQL for the web application")
    again = recorder.fact("decision", "Keep sessions in PostgreSQL for the web application")
    assert [first.id] in [advice.ids for advice in again.advice if advice.kind == "near_duplicate"]
    assert all(advice.message for advice in again.advice)


def test_a_time_without_zone_is_refused(recorder):
    with pytest.raises(stele.InvalidError) as caught:
        recorder.fact("fyi", "When", created_at=datetime.datetime(2024, 1, 2))
    assert caught.value.code == "bad_time"
    with pytest.raises(stele.InvalidError):
        recorder.fact("fyi", "When", created_at="yesterday")


def test_numbers_out_of_range_are_the_cores_to_refuse(record, recorder):
    for call in (
        lambda: recorder.task("Too high", priority=5),
        lambda: recorder.task("Far too high", priority=5000),
        lambda: recorder.task("Negative", priority=-1),
        lambda: record.retriever().retrieve("What is there?", max_entries=0),
        lambda: record.retriever().retrieve("What is there?", hops=-1),
        lambda: record.retriever().search("anything", limit=10**30),
    ):
        with pytest.raises(stele.InvalidError) as caught:
            call()
        assert caught.value.code == "out_of_range"


def test_a_number_below_zero_is_refused_by_the_name_of_its_argument(record, recorder):
    retriever, session = record.retriever(), record.session("s1")
    for argument, call in (
        ("priority", lambda: recorder.task("Negative", priority=-1)),
        ("max_tokens", lambda: retriever.retrieve("What is there?", max_tokens=-1)),
        ("limit", lambda: retriever.search("anything", limit=-1)),
        ("cap", lambda: retriever.rules(cap=-1)),
        ("turn", lambda: record.assemble("What is there?", session="s1", turn=-1)),
        ("token_budget", lambda: record.session("s1", token_budget=-1)),
        ("turns", lambda: session.pause(-1)),
        ("as_of", lambda: record.retriever(as_of=-1)),
        ("as_of", lambda: record.retriever(as_of=2**64)),
    ):
        with pytest.raises(stele.InvalidError) as caught:
            call()
        assert (caught.value.code, caught.value.details["field"]) == ("out_of_range", argument)


def test_a_node_may_have_more_names(record, recorder):
    recorder.fact("decision", "Use one queue", alias="ADR-1")
    assert recorder.alias("adr-1", "JIRA-12") == "KNOW-1"
    assert record.retriever().get("jira-12").aliases == ["ADR-1", "JIRA-12"]
