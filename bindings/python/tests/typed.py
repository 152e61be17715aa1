"""Not a test: what type checkers must accept of the package, each line with the type that it has."""

import asyncio
import datetime
from typing import List, Literal, Optional

import stele
import stele.aio


Verdict = Literal["holds", "fails", "unsure"]


class Embedder:
    name = "two-1"
    dimensions = 2
    weight = 0.5

    def embed(self, texts: List[str]) -> List[List[float]]:
        return [[1.0, 0.0] for _ in texts]


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def judge(retirement: stele.Retirement) -> Verdict:
    return "holds" if retirement.verbatim else "unsure"


def tickets(request: stele.Request) -> List[stele.ProviderEntry]:
    return [stele.ProviderEntry(f"asked for {request.prompt}", fetched_at=request.now)]


async def branch(request: stele.Request) -> str:
    return "main"


def work(folder: str) -> Optional[str]:
    with stele.open(folder, embedder=Embedder(), clock=now, busy_timeout=datetime.timedelta(seconds=1)) as record:
        recorder = record.recorder(actor="ana")
        fact: stele.Recorded = recorder.fact("decision", "Use one queue", tags=["queue"], anchors=[("src/queue.py", "Queue")])
        with recorder.transaction() as step:
            step.link(fact.id, "relates-to", fact.id)
        sweep: stele.Sweep = record.sweep(judge)
        verdicts: List[Verdict] = [judgement.verdict for judgement in sweep.judgements]
        table: stele.RankingTable = record.ranking.replace(classes={"risk": 5.0})
        record.set_ranking(table)
        context: stele.Context = record.assemble(
            "which queue?", session="s1", providers=[stele.provider("tickets", tickets, category="memory")], builtin=["record"]
        )
        errors: List[Optional[BaseException]] = [outcome.error for outcome in context.outcomes]
        plan: stele.Plan = record.plan("which queue?", session=None, providers=[stele.provider("mine", None)])
        for request in plan:
            plan.supply(request.provider, "an answer")
        resumed: stele.Resumed = record.resume("s1", 0, [("1", "text"), {"id": "2", "text": "text", "role": "user"}])
        return resumed.item_id if verdicts or errors else plan.finish().item_id


async def beside_a_loop(folder: str) -> int:
    async with stele.aio.open(folder) as record:
        recorder: stele.aio.Recorder = record.recorder(actor="ana")
        fact: stele.Recorded = await recorder.fact("fyi", "A")
        async with recorder.transaction() as step:
            await step.archive(fact.id, why="over")
        session: stele.aio.Session = await record.session("s1")
        context: stele.Context = await session.on_prompt("which queue?", providers=[stele.provider("branch", branch)])
        found: stele.Retrieval = await record.retriever().retrieve(context.text)
        return len(found.entries) + await record.head


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        print(asyncio.run(beside_a_loop(place + "/.stele")))
