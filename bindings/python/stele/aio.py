"""The same names as coroutines: ``await aio.open()`` gives a record whose calls run beside the event loop.

Calls run on threads of the handle, at most ``THREADS`` at a time, never on the loop's own pool. What needs no disk, such as
``record.path``, ``record.recorder()`` and ``record.retriever()``, is the same as without the loop; every other property is
awaited (``await record.head``). Results are those of the package itself.
"""

# pyright: reportPrivateUsage=false
# Its classes are filled with functions of this file.

from __future__ import annotations

import asyncio
import contextvars
import functools
from concurrent.futures import ThreadPoolExecutor

from . import _native
from .errors import ConflictError

TYPE_CHECKING = False  # as type checkers know it; the module that has it is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable, Coroutine, Generator

__all__ = ["Record", "Recorder", "Retriever", "Session", "Transaction", "open"]

# How many calls of one handle run at a time.
THREADS = 8


class _Door:
    """A handle of the package, and the threads that its calls run on."""

    __slots__ = ("_inner", "_pool", "__weakref__")

    def __init__(self, inner: Any, pool: ThreadPoolExecutor) -> None:
        self._inner = inner
        self._pool = pool

    async def _run(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        # With the context of the task, which says in which transaction it is.
        context = contextvars.copy_context()
        try:
            running = self._pool.submit(context.run, functools.partial(call, *args, **kwargs))
        except RuntimeError:  # The record is closed: the call itself says so, at once.
            return call(*args, **kwargs)
        return await asyncio.wrap_future(running)

    def _let_go(self, plan: _native.Plan) -> None:
        """Gives a plan up without waiting for whoever is at it."""
        try:
            self._pool.submit(plan.drop)
        except RuntimeError:  # The record is closed, and nobody is at it.
            plan.drop()

    def __repr__(self) -> str:
        return f"aio.{self._inner!r}"


class _Later:
    """A property that is read when it is awaited."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._read = read

    def __await__(self) -> Generator[Any, None, Any]:
        return self._read().__await__()


class _Here:
    """What is there without waiting, and may be awaited all the same."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, Any]:
        return self
        yield


class Record(_Door):
    """An open record. Closes with ``close``, or at the end of an ``async with``."""

    __slots__ = ()

    def recorder(self, *args: Any, **kwargs: Any) -> Recorder:
        return Recorder(self._inner.recorder(*args, **kwargs), self._pool)

    def retriever(self, *args: Any, **kwargs: Any) -> Retriever:
        return Retriever(self._inner.retriever(*args, **kwargs), self._pool)

    async def session(self, *args: Any, **kwargs: Any) -> Session:
        return Session(await self._run(self._inner.session, *args, **kwargs), self._pool)

    async def assemble(self, prompt: str, **options: Any) -> Any:
        return await _assemble(self, prompt, options)

    async def close(self) -> None:
        await self._run(self._inner.close)
        self._pool.shutdown(wait=False)

    async def __aenter__(self) -> Record:
        return self

    async def __aexit__(self, *_error: Any) -> None:
        # Also where the task is being cancelled: a handle is not left open.
        await asyncio.shield(self.close())


class Recorder(_Here, _Door):
    """The writing side of a record, bound to an actor."""

    __slots__ = ()

    def transaction(self) -> Transaction:
        return Transaction(self._inner.transaction(), self._pool)


class Retriever(_Here, _Door):
    """The reading side of a record: it cannot write, whatever is called on it."""

    __slots__ = ()


class Session(_Door):
    """The moments of one agent session."""

    __slots__ = ()

    async def on_prompt(self, prompt: str, **options: Any) -> Any:
        return await _assemble(self, prompt, options)


class Transaction(_Door):
    """One transaction, for one ``async with``. Calls of its recorder inside belong to it, of this task only."""

    __slots__ = ()

    async def __aenter__(self) -> Recorder:
        recorder = Recorder(await self._run(self._inner.__enter__), self._pool)
        # The call that began it ran in a copy of this context.
        self._inner._join()
        return recorder

    async def __aexit__(self, kind: Any = None, error: Any = None, trace: Any = None) -> None:
        self._inner._leave()
        # Not cut off by a cancellation: it ends one way or the other.
        await asyncio.shield(self._run(self._inner.__exit__, kind, error, trace))


class _Opening:
    """A record that is about to be opened, for ``await`` and for ``async with``."""

    __slots__ = ("_open", "_record")

    def __init__(self, open: Callable[[], Coroutine[Any, Any, Record]]) -> None:
        self._open = open

    def __await__(self) -> Generator[Any, None, Record]:
        return self._open().__await__()

    async def __aenter__(self) -> Record:
        self._record = await self._open()
        return self._record

    async def __aexit__(self, *error: Any) -> None:
        await self._record.__aexit__(*error)


@functools.wraps(_native.open)
def open(*args: Any, **kwargs: Any) -> _Opening:
    async def opened() -> Record:
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="stele")
        try:
            door = _Door(None, pool)
            return Record(await door._run(_native.open, *args, **kwargs), pool)
        except BaseException:
            pool.shutdown(wait=False)
            raise

    return _Opening(opened)


async def _assemble(door: _Door, prompt: str, options: dict[str, Any]) -> Any:
    """Drives a plan: coroutine functions on the event loop, the others on threads of the record."""
    providers: list[_native.Provider] = list(options.get("providers") or ())
    plan = await door._run(door._inner.plan, prompt, **{**options, "providers": providers})
    # A name is that of the first who bears it.
    fetches = {provider.name: provider.fetch for provider in reversed(providers)}
    asked: dict[asyncio.Task[Any], _native.Request] = {}
    try:
        for request in plan:
            fetch = fetches.get(request.provider)
            if fetch is not None:
                asked[asyncio.ensure_future(_answer(plan, request, fetch))] = request
        pending: set[asyncio.Task[Any]] = set(asked)
        while pending:
            # Whoever does not answer in time is not waited for, be it one that swallows its cancellation.
            patience = min(asked[task].remaining for task in pending)
            done, pending = await asyncio.wait(pending, timeout=max(patience, 0.0), return_when=asyncio.FIRST_COMPLETED)
            if not done:
                pending = {task for task in pending if asked[task].remaining > 0}
        while not await door._run(plan.wait, 0.05):
            pass
        return await door._run(plan.finish)
    finally:
        for task in asked:
            task.cancel()
        door._let_go(plan)


async def _answer(plan: _native.Plan, request: _native.Request, fetch: Callable[..., Any]) -> None:
    """Answers one request. What the provider raises stands in its outcome."""
    try:
        answer = await fetch(request)
    except asyncio.CancelledError:
        _tell(plan.fail, request, "it was cancelled")
        raise
    except Exception as error:
        _tell(plan.fail, request, error)
        return
    try:
        _tell(plan.supply, request, answer)
    except TypeError as error:
        _tell(plan.fail, request, error)


def _tell(tell: Callable[[str, Any], None], request: _native.Request, what: Any) -> None:
    try:
        tell(request.provider, what)
    except ConflictError:
        pass  # The plan is finished: nobody waits any more.


def _coroutine(verb: Any) -> Any:
    @functools.wraps(verb)
    async def call(self: _Door, *args: Any, **kwargs: Any) -> Any:
        return await self._run(getattr(self._inner, verb.__name__), *args, **kwargs)

    return call


def _later(name: str, of: Any) -> property:
    def read(self: _Door) -> _Later:
        return _Later(lambda: self._run(getattr, self._inner, name))

    return property(read, doc=of.__doc__)


def _now(name: str, of: Any) -> property:
    return property(lambda self: getattr(self._inner, name), doc=of.__doc__)


# Properties that need no disk.
_AT_HAND = {"actor", "defaults", "name", "path", "ranking", "read_only", "session"}
# What is as quick without a thread.
_QUICK = {"set_ranking", "set_token_counter", "tools"}


def _mirror(mirror: type, of: type) -> None:
    """Gives a class here what the package's class has and it has not."""
    for name, member in vars(of).items():
        if name.startswith("_"):
            continue
        if name in vars(mirror):
            functools.update_wrapper(vars(mirror)[name], member)
        elif isinstance(member, staticmethod):
            setattr(mirror, name, staticmethod(_static(member.__func__)))
        elif callable(member):
            setattr(mirror, name, _quick(member) if name in _QUICK else _coroutine(member))
        else:
            setattr(mirror, name, _now(name, member) if name in _AT_HAND else _later(name, member))


def _quick(verb: Any) -> Any:
    @functools.wraps(verb)
    def call(self: _Door, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._inner, verb.__name__)(*args, **kwargs)

    return call


def _static(verb: Any) -> Any:
    @functools.wraps(verb)
    async def call(*args: Any, **kwargs: Any) -> Any:
        with ThreadPoolExecutor(1, thread_name_prefix="stele") as pool:
            return await _Door(None, pool)._run(verb, *args, **kwargs)

    return call


for _class in (Record, Recorder, Retriever, Session):
    _mirror(_class, getattr(_native, _class.__name__))
