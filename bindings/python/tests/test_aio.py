"""The same names as coroutines, beside an event loop that goes on."""

import asyncio
import inspect
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from test_assembly import PROMPT, outcomes

import stele
import stele.aio

HERE = Path(__file__).resolve().parents[1]


def run(coroutine):
    return asyncio.run(coroutine)


async def fill(record):
    recorder = record.recorder(actor="ana", session="s1")
    await recorder.fact("decision", "Keep sessions in DynamoDB", alias="ADR-1", body="The table is shared with billing.")
    await recorder.fact("decision", "Keep sessions in PostgreSQL", alias="ADR-7", body="The table was deleted on 3 March.")
    await recorder.supersede("ADR-7", "ADR-1", reason="It is gone", evidence="The table was deleted on 3 March.")
    return recorder


def test_a_record_is_opened_written_read_and_closed(tmp_path):
    async def main():
        async with stele.aio.open(tmp_path / ".stele") as record:
            recorder = await fill(record)
            assert (recorder.actor, recorder.session, record.read_only) == ("ana", "s1", False)
            assert (await record.head, len(await record.head_hash)) == (3, 64)
            retriever = record.retriever()
            found, hits = await asyncio.gather(retriever.retrieve(PROMPT), retriever.search("DynamoDB"))
            assert [entry.id for entry in found.entries] == ["KNOW-2", "KNOW-1"] and hits[0].id == "KNOW-1"
            assert isinstance(found, stele.Retrieval)
            session = await record.session("s1")
            context = await session.on_prompt(PROMPT)
            assert "ADR-7" in context.text or "KNOW-2" in context.text
            assert (session.name, await session.turn, await session.mode) == ("s1", 1, "work")
            with pytest.raises(stele.NotFoundError):
                await retriever.get("KNOW-77")
            assert (await (await record.recorder(actor="ben")).fact("fyi", "Awaited all the same")).id == "KNOW-3"
        # Closed, as without the loop; closing once more is no error.
        await record.close()
        for call in (record.health, lambda: retriever.search("x"), lambda: recorder.fact("fyi", "x"), session.on_start, lambda: session.on_prompt(PROMPT)):
            with pytest.raises(stele.ClosedError):
                await call()
        with pytest.raises(stele.ClosedError):
            await record.head

    run(main())


def test_a_record_may_be_awaited_too_and_is_not_made_if_it_must_not(tmp_path):
    async def main():
        record = await stele.aio.open(tmp_path / ".stele")
        await record.close()
        with pytest.raises(stele.NotFoundError):
            await stele.aio.open(tmp_path / "nowhere", create=False)
        with pytest.raises(stele.NotFoundError):
            await stele.aio.Record.migrate(tmp_path / "nowhere")

    run(main())


def test_every_name_of_the_package_is_there():
    for name in ("Record", "Recorder", "Retriever", "Session", "Transaction"):
        of, mirror = getattr(stele, name), getattr(stele.aio, name)
        missing = {member for member in vars(of) if not member.startswith("_")} - set(vars(mirror))
        assert missing == set(), name
    assert inspect.signature(stele.aio.Recorder.fact) == inspect.signature(stele.Recorder.fact)
    assert inspect.signature(stele.aio.Record.assemble) == inspect.signature(stele.Record.assemble)
    assert stele.aio.Retriever.search.__doc__ == stele.Retriever.search.__doc__
    assert inspect.iscoroutinefunction(stele.aio.Retriever.search)


def test_the_stub_is_the_one_that_is_written():
    done = subprocess.run([sys.executable, str(HERE / "aio_stub.py"), "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_loop_goes_on_while_a_call_waits(tmp_path):
    """The embedder that a call waits for is let go by the loop itself."""

    async def main():
        release, entered = threading.Event(), threading.Event()

        class Waiting:
            name, dimensions = "waiting", 2

            def embed(self, texts):
                entered.set()
                assert release.wait(30)
                return [[1.0, 0.0] for _ in texts]

        async with stele.aio.open(tmp_path / ".stele", embedder=Waiting()) as record:
            writing = asyncio.ensure_future(record.recorder(actor="ana").fact("fyi", "Ships wait for the tide"))
            while not entered.is_set():
                await asyncio.sleep(0.001)
            assert not writing.done()
            release.set()
            assert (await writing).id == "KNOW-1"

    run(main())


def test_a_transaction_belongs_to_its_task(tmp_path):
    async def main():
        async with stele.aio.open(tmp_path / ".stele") as record:
            recorder = record.recorder(actor="ana")
            async with recorder.transaction() as step:
                await step.fact("fyi", "A")
                await recorder.fact("fyi", "B")
                assert await record.head == 0
            assert await record.head == 2
            with pytest.raises(RuntimeError):
                async with recorder.transaction():
                    await recorder.fact("fyi", "Never")
                    raise RuntimeError
            assert await record.head == 2

            begun, go_on = asyncio.Event(), asyncio.Event()

            async def other():
                await begun.wait()
                waits = asyncio.ensure_future(recorder.fact("fyi", "Outside"))
                await asyncio.sleep(0)
                go_on.set()
                return (await waits).id

            outside = asyncio.ensure_future(other())
            async with recorder.transaction():
                await recorder.fact("fyi", "Inside")
                begun.set()
                await go_on.wait()
            assert await outside == "KNOW-4"

    run(main())


def test_coroutine_providers_run_on_the_loop_and_end_as_others_do(tmp_path):
    fault = RuntimeError("the tracker is away")

    async def main():
        release = asyncio.Event()

        async def well(request):
            await asyncio.sleep(0)
            assert threading.current_thread() is threading.main_thread() and not request.cancelled
            return [stele.ProviderEntry(f"well in {request.session}")]

        async def failing(request):
            raise fault

        async def odd(request):
            return 3

        async def hanging(request):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                # Swallows its cancellation, and must not be waited for all the same.
                await release.wait()
            return "late"

        async def cancelling(request):
            raise asyncio.CancelledError

        def plain(request):
            assert threading.current_thread() is not threading.main_thread()
            return "plain"

        providers = [stele.provider(fetch.__name__, fetch, timeout=0.3) for fetch in (well, failing, odd, hanging, cancelling, plain)]
        async with stele.aio.open(tmp_path / ".stele") as record:
            await fill(record)
            context = await record.assemble(PROMPT, session="s1", providers=providers)
            found = outcomes(context)
            results = {provider.name: found[provider.name].result for provider in providers}
            assert results == {
                "well": "included",
                "failing": "failed",
                "odd": "failed",
                "hanging": "timed_out",
                "cancelling": "failed",
                "plain": "included",
            }
            assert found["failing"].error is fault and isinstance(found["odd"].error, TypeError)
            assert "well in s1" in context.text
            with pytest.raises(stele.ProviderError) as caught:
                await record.assemble(PROMPT, session=None, providers=[stele.provider("failing", failing)], strict=True)
            assert caught.value.__cause__ is fault
            session = await record.session("s1")
            assert outcomes(await session.on_prompt(PROMPT, providers=[stele.provider("well", well)]))["well"].result == "included"
            release.set()

    run(main())


def test_a_cancelled_assembly_tells_its_providers(tmp_path):
    async def main():
        told, cancelled, began, waits = threading.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def plain(request):
            loop.call_soon_threadsafe(began.set)
            while not request.cancelled:
                time.sleep(0.005)
            told.set()

        async def coroutine(request):
            try:
                waits.set()
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        providers = [stele.provider("plain", plain, timeout=60), stele.provider("coroutine", coroutine, timeout=60)]
        async with stele.aio.open(tmp_path / ".stele") as record:
            assembling = asyncio.ensure_future(record.assemble(PROMPT, session=None, providers=providers, deadline=60))
            await began.wait()
            await waits.wait()
            assembling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await assembling
            await asyncio.wait_for(cancelled.wait(), 30)
            assert await loop.run_in_executor(None, told.wait, 30)

    run(main())


def test_an_import_takes_its_lines_and_tells_its_progress(tmp_path):
    async def main():
        told = []
        line = '{"type":"node","kind":"knowledge","category":"fyi","title":"%s"}'
        async with stele.aio.open(tmp_path / ".stele") as record:
            report = await record.import_jsonl([line % "A", line % "B"], actor="ana", progress=told.append)
            assert (report.nodes, told[-1].phase) == (2, "done")

    run(main())


def test_a_name_is_that_of_the_first_provider_that_bears_it(tmp_path):
    async def first(request):
        return "said by the first"

    async def main():
        async with stele.aio.open(tmp_path / ".stele") as record:
            providers = [stele.provider("wiki", first), stele.provider("wiki", lambda request: "said by the second")]
            context = await record.assemble(PROMPT, session=None, providers=providers)
            assert "said by the first" in context.text and "second" not in context.text
            assert [end.result for end in context.outcomes if end.provider == "wiki"] == ["included", "invalid"]

    run(main())
