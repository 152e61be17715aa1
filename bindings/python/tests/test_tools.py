"""Tools of an agent: their schemas, their tiers, and calls by dictionary."""

import pytest

import stele


def test_tools_come_with_schemas_and_tiers(record):
    tools = record.tools()
    assert {tool.tier for tool in tools} == {"read", "write"}
    assert {tool.tier for tool in record.tools(tier="read")} == {"read"}
    assert "purge" in {tool.name for tool in record.tools(tier="destructive")}
    search = next(tool for tool in tools if tool.name == "search")
    assert search.input_schema["required"] == ["query"] and search.input_schema["additionalProperties"] is False
    search.input_schema.clear()
    assert search.input_schema["type"] == "object"
    assert sum(stele.tokens(f"{tool.name}\n{tool.description}\n{tool.input_schema}") for tool in tools) > 1_000
    with pytest.raises(stele.InvalidError):
        record.tools(tier="root")


def test_an_agent_works_through_calls(record):
    lesson = {"category": "lesson", "title": "Naïve clocks drift", "body": "`ERR_SKEW: clock ahead` \U0001f552", "review_at": "2999-01-01"}
    assert record.call_tool("record_fact", lesson, actor="ana", session="s1") == {"id": "KNOW-1"}
    node = record.retriever().get("KNOW-1")
    assert (node.actor, node.session, node.body) == ("ana", "s1", lesson["body"])
    found = record.call_tool("retrieve", {"prompt": "What does ERR_SKEW: clock ahead mean?"}, actor="ben", tier="read")
    assert found["status"] == "found" and "ERR_SKEW" in found["text"]
    assert found["entries"] == [{"id": "KNOW-1", "score": 5, "explain": "lesson 2 + match 3 = 5"}]


def test_a_call_above_its_tier_or_out_of_shape_says_so(record):
    for name, arguments, tier, code in (
        ("record_fact", {"category": "fyi", "title": "x"}, "read", "not_permitted"),
        ("purge", {"id": "KNOW-1", "why": "x"}, "write", "not_permitted"),
        ("record_fact", {"category": "fyi"}, "write", "bad_argument"),
        ("search", {"query": float("nan")}, "write", "bad_argument"),
        ("look", {}, "write", "unknown_value"),
    ):
        with pytest.raises(stele.InvalidError) as caught:
            record.call_tool(name, arguments, actor="ana", tier=tier)
        assert caught.value.code == code
    assert record.head == 0
    with pytest.raises(TypeError):
        record.call_tool("search", {"query": object()}, actor="ana")
