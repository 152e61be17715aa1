"""The same beside an event loop: every call is awaited, and a source may be a coroutine."""

import asyncio
import tempfile
from pathlib import Path

import stele
import stele.aio


async def branch(request: stele.Request) -> str:
    await asyncio.sleep(0)  # asks somebody
    return "on branch refunds, 3 commits ahead"


async def main(folder: Path) -> None:
    async with stele.aio.open(folder) as record:
        async with record.recorder(actor="ana").transaction() as step:
            await step.fact("risk", "Refunds are not idempotent", body="A retried refund pays twice.")
        session = await record.session("tuesday")
        context = await session.on_prompt(
            "How are partial refunds paid out?", providers=[stele.provider("branch", branch, category="system", turns="all")]
        )
        print(context.text)
        print("operations:", await record.head)


with tempfile.TemporaryDirectory() as place:
    asyncio.run(main(Path(place) / ".stele"))
