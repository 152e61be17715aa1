"""The tools of a record for an agent that speaks MCP, over standard input and output: ``python mcp_server.py FOLDER ACTOR``.

Needs the official SDK: ``pip install "mcp>=2"``. The tools that destroy something stay away, as by default.
"""

import asyncio
import json
import sys
from typing import Any, Optional

import mcp.types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

import stele.aio


async def serve(folder: str, actor: str) -> None:
    async with stele.aio.open(folder) as record:

        async def list_tools(_: ServerRequestContext[Any], __: Optional[types.PaginatedRequestParams]) -> types.ListToolsResult:
            tools = [types.Tool(name=tool.name, description=tool.description, input_schema=tool.input_schema) for tool in record.tools()]
            return types.ListToolsResult(tools=tools)

        async def call_tool(_: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
            try:
                said = await record.call_tool(asked.name, asked.arguments or {}, actor=actor)
            except stele.SteleError as error:
                # The message says what to do, so the model can mend its call.
                said = {"error": {"code": error.code, "message": str(error)}}
            text = types.TextContent(type="text", text=json.dumps(said, ensure_ascii=False))
            return types.CallToolResult(content=[text], structured_content=said, is_error="error" in said)

        server = Server("stele", version=stele.__version__, on_list_tools=list_tools, on_call_tool=call_tool)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.argv[2]))
