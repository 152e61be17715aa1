"""The example of a server for agents, driven by the official client."""

import asyncio
import json
import sys
from pathlib import Path

import mcp
import pytest

import stele

SERVER = Path(__file__).resolve().parents[1] / "examples" / "mcp_server.py"


@pytest.mark.filterwarnings("default")
def test_an_agent_lists_the_tools_calls_them_and_learns_from_errors(tmp_path):
    folder = tmp_path / ".stele"

    async def main():
        parameters = mcp.StdioServerParameters(command=sys.executable, args=[str(SERVER), str(folder), "agent"])
        async with mcp.Client(parameters, read_timeout_seconds=60) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            with stele.open(tmp_path / "other") as record:
                assert {name: tool.input_schema for name, tool in tools.items()} == {tool.name: tool.input_schema for tool in record.tools()}
            told = await client.call_tool("record_fact", {"category": "decision", "title": "Keep sessions in PostgreSQL"})
            assert not told.is_error and told.structured_content["id"] == "KNOW-1"
            found = await client.call_tool("search", {"query": "sessions"})
            assert found.structured_content == json.loads(found.content[0].text)
            assert "KNOW-1" in found.content[0].text
            refused = await client.call_tool("get", {"id": "KNOW-77"})
            assert refused.is_error and refused.structured_content["error"]["code"] == "unknown_node"

    asyncio.run(main())
    with stele.open(folder) as record:
        assert record.retriever().history("KNOW-1")[0].actor == "agent"
