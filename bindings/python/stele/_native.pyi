"""The native module: private, reached through the package ``stele``."""

import datetime
import os
from types import TracebackType
from typing import Any, Awaitable, Callable, Dict, Final, Iterable, Iterator, List, Literal, Mapping, Optional, Protocol, Tuple, Type, Union, final, type_check_only

_Time = Union[datetime.datetime, str]
_Length = Union[float, datetime.timedelta]
_Path = Union[str, os.PathLike[str]]
_Kind = Literal["knowledge", "task", "rule", "document", "diagram", "component"]
_Category = Literal["decision", "architecture", "goal", "risk", "lesson", "priority", "gap", "fyi", "opportunity"]
_State = Literal["live", "retired", "expired", "resolved", "archived"]
_Status = Literal["open", "claimed", "completed", "cancelled"]
_TaskType = Literal["task", "epic", "objective", "milestone"]
_Severity = Literal["critical", "high", "medium", "low"]
_Relation = Literal[
    "fulfills", "blocks", "supersedes", "caused-by", "contradicts", "relates-to", "mentions", "embeds", "expires-on"
]
_Known = Literal["stated", "observed", "inferred", "imported"]
_Verdict = Literal["holds", "fails", "unsure"]
_ProviderCategory = Literal["rules", "skills", "memory", "system"]
_Answer = Union[str, Iterable[Union[str, "ProviderEntry"]], None]
_Item = Union[Tuple[str, str], Mapping[str, Optional[str]]]
_Tier = Literal["read", "write", "destructive"]
_AnchorGiven = Union[str, Tuple[str, Optional[str]], Mapping[str, Optional[str]], "Anchor"]
_SourceGiven = Union[str, Mapping[str, Optional[str]], "Source"]
_Point = Literal["prompt", "write", "bash", "stop"]
_TaskGiven = Union[str, "Claim"]
_SourceText = Union[str, Mapping[str, Optional[str]]]

@type_check_only
class _Embedder(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def embed(self, texts: List[str], /) -> Iterable[Iterable[float]]: ...

__version__: Final[str]
ERROR_KINDS: Final[List[str]]
ERROR_CODES: Final[List[Tuple[str, str]]]

def open(
    path: _Path = ".stele",
    *,
    create: bool = True,
    read_only: bool = False,
    embedder: Union[_Embedder, Literal[False], None] = None,
    durability: Literal["full", "normal"] = "full",
    busy_timeout: _Length = 5.0,
    clock: Optional[Callable[[], _Time]] = None,
) -> Record:
    """Opens the record in a folder, and makes it if there is none.

    `embedder` is None for the built-in one, False for none, which is search by words only, or an object with `name`,
    `dimensions`, `embed` from a list of texts to their vectors, and perhaps `weight` and `floor`. `clock` gives the time of
    what is written.
    """
def hook(
    arguments: List[str],
    *,
    folder: _Path,
    home: Optional[_Path],
    project: Optional[_Path],
    user: Optional[int],
    command: List[str],
) -> Tuple[str, str, int]:
    """Answers an agent's hook event from standard input, or installs, removes or looks something up: gives what to write to
    standard output and standard error, and the exit code.
    """
def tokens(text: str) -> int:
    """Estimates how many tokens a text has."""
def provider(
    name: str,
    fetch: Optional[Callable[[Request], Union[_Answer, Awaitable[_Answer]]]],
    *,
    category: _ProviderCategory = "memory",
    requires: Iterable[str] = (),
    turns: Literal["first", "all"] = "first",
    timeout: _Length = 2.0,
    token_budget: int = 2000,
    position: int = 0,
) -> Provider:
    """Makes a provider of a function from a request to a text or to entries.

    It is asked in the first turn of a session or in "all", if the request has the capabilities that it requires, and waited
    for until its timeout. Coroutine functions are for `stele.aio`; without a function, a plan gives its request out.
    """
@final
class Provider:
    """A source of context that a host brings to an assembly."""
    @property
    def name(self) -> str:
        """Its unique name."""
    @property
    def fetch(self) -> Optional[Callable[[Request], Union[_Answer, Awaitable[_Answer]]]]:
        """What answers its requests; None if a plan gives them out."""
@final
class Request:
    """What a provider is asked. It may look whether anybody still waits."""
    @property
    def provider(self) -> str:
        """The name of the provider that is asked."""
    @property
    def prompt(self) -> str:
        """The prompt."""
    @property
    def session(self) -> str:
        """The session; empty for a call without one."""
    @property
    def turn(self) -> int:
        """The turn, from 0."""
    @property
    def mode(self) -> str:
        """The mode that the session is in."""
    @property
    def action(self) -> Optional[str]:
        """What is about to be done, if the host said so."""
    @property
    def point(self) -> _Point:
        """Where the context is injected."""
    @property
    def token_budget(self) -> int:
        """How many tokens the entries may take."""
    @property
    def now(self) -> datetime.datetime:
        """The instant that ages are told from."""
    @property
    def remaining(self) -> float:
        """The seconds that are left for an answer."""
    @property
    def cancelled(self) -> bool:
        """True once nobody waits for the answer any more."""
@final
class ProviderEntry:
    """One thing that a provider gives."""
    def __new__(
        cls,
        text: str,
        *,
        source: Optional[_SourceGiven] = None,
        fetched_at: Optional[_Time] = None,
        review_at: Optional[_Time] = None,
        applies_to: Optional[str] = None,
    ) -> ProviderEntry: ...
    @property
    def text(self) -> str:
        """What a model reads."""
    @property
    def source(self) -> Optional[Source]:
        """Where it comes from."""
    @property
    def fetched_at(self) -> Optional[datetime.datetime]:
        """When it was fetched."""
    @property
    def review_at(self) -> Optional[datetime.datetime]:
        """The instant from which it has to be read again before anybody acts on it."""
    @property
    def applies_to(self) -> Optional[str]:
        """The repository, customer or the like that it is limited to."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
@final
class Plan:
    """An assembly under way, for a host that asks its providers itself: take the requests, answer them in any order, finish.

    It gives out the requests of providers without a function and of those with a coroutine function; the others run meanwhile
    on threads of their own. A plan is for one thread at a time.
    """
    def next(self) -> Optional[Request]:
        """Gives the next request; None once all were given."""
    def __iter__(self) -> Iterator[Request]: ...
    def __next__(self) -> Request: ...
    def supply(self, provider: str, answer: _Answer) -> None:
        """Answers the request of a provider: with a text, with entries, or with None for nothing."""
    def fail(self, provider: str, error: Union[BaseException, str]) -> None:
        """Says that a provider cannot answer, and why: an exception, which its outcome keeps, or words."""
    def wait(self, seconds: _Length) -> bool:
        """Waits a while for the providers that run by themselves; True once `finish` would not wait."""
    def finish(self) -> Context:
        """Puts the context together. A request that was not answered by now counts as late."""
    def drop(self) -> None:
        """Gives it up: providers that run are told that nobody waits for them."""
@final
class Record:
    """An open record. Threads may share it; it closes with `close`, at the end of a with-statement, or when nothing holds it."""
    @property
    def path(self) -> os.PathLike[str]:
        """The folder of the record."""
    @property
    def read_only(self) -> bool:
        """True if nothing can be written through this handle."""
    @property
    def head(self) -> int:
        """The number of operations in the log."""
    @property
    def head_hash(self) -> str:
        """The hash of the log's chain at its head, in hexadecimal."""
    def recorder(self, *, actor: str, session: Optional[str] = None, may_promote: bool = False) -> Recorder:
        """The writing side, bound to an actor and perhaps a session. `may_promote` gives it the right to promote proposed rules."""
    def retriever(self, *, as_of: Union[int, _Time, None] = None) -> Retriever:
        """The reading side: at the head, or as of a sequence or an instant."""
    def session(
        self,
        name: str,
        *,
        mode: Optional[str] = "work",
        token_budget: Optional[int] = None,
        actor: Optional[str] = None,
        root: Optional[_Path] = None,
    ) -> Session:
        """The moments of an agent session of that name, new or known, by any process.

        A session that is known stays in its mode unless one is given. `actor` says whose it is, so that its start tells what
        that actor holds in any session; `root` is the folder that anchors are relative to, the record's parent otherwise.
        """
    def assemble(
        self,
        prompt: str,
        *,
        session: Optional[str],
        turn: Optional[int] = 0,
        mode: Optional[str] = "work",
        action: Optional[str] = None,
        point: _Point = "prompt",
        capabilities: Iterable[str] = (),
        providers: Iterable[Provider] = (),
        builtin: Union[bool, Iterable[str]] = True,
        root: Optional[_Path] = None,
        token_budget: Optional[int] = 8000,
        deadline: Optional[_Length] = 8.0,
        select_skills: Iterable[str] = (),
        now: Optional[_Time] = None,
        strict: bool = False,
        deliver: bool = False,
        max_entries: Optional[int] = 20,
        max_tokens: Optional[int] = None,
        hops: Optional[int] = 1,
        skill_folders: Optional[Iterable[str]] = None,
        base_revision: Optional[str] = None,
        rule_files: Iterable[str] = (),
        system: Iterable[Union[str, ProviderEntry]] = (),
        about: Iterable[str] = (),
    ) -> Context:
        """Assembles context for a prompt: obligations, methodology, the window of the record, and what the host's providers give,
        in one text with one report.

        A provider that fails, hangs or raises takes nothing from the others, unless `strict`; nothing takes the obligations
        away. `builtin` is True, False (the obligations stay) or names. `root` is the project's folder.
        """
    def plan(
        self,
        prompt: str,
        *,
        session: Optional[str],
        turn: Optional[int] = 0,
        mode: Optional[str] = "work",
        action: Optional[str] = None,
        point: _Point = "prompt",
        capabilities: Iterable[str] = (),
        providers: Iterable[Provider] = (),
        builtin: Union[bool, Iterable[str]] = True,
        root: Optional[_Path] = None,
        token_budget: Optional[int] = 8000,
        deadline: Optional[_Length] = 8.0,
        select_skills: Iterable[str] = (),
        now: Optional[_Time] = None,
        strict: bool = False,
        deliver: bool = False,
        max_entries: Optional[int] = 20,
        max_tokens: Optional[int] = None,
        hops: Optional[int] = 1,
        skill_folders: Optional[Iterable[str]] = None,
        base_revision: Optional[str] = None,
        rule_files: Iterable[str] = (),
        system: Iterable[Union[str, ProviderEntry]] = (),
        about: Iterable[str] = (),
    ) -> Plan:
        """Begins an assembly for a host that asks providers itself."""
    def resume(self, session: str, turn: int, transcript: Iterable[_Item]) -> Resumed:
        """Says how a turn of a session goes on in a transcript after its host was interrupted: nothing is appended twice, and nothing
        is asked again that is there. The transcript's items are pairs of id and text, or mappings of `id`, `text` and `role`.
        """
    def import_jsonl(
        self,
        path_or_lines: Union[_Path, Iterable[Union[str, bytes]]],
        *,
        actor: str,
        partial: bool = False,
        progress: Optional[Callable[[Progress], Any]] = None,
        session: Optional[str] = None,
        allow_secrets: bool = False,
    ) -> ImportReport:
        """Imports JSON Lines from a file or from an iterable of lines: all of it or nothing, again and again with the same outcome.

        `progress` is called with a Progress; what it raises ends the import with nothing written, unless that is done already.
        """
    def import_adr(
        self,
        folder: _Path,
        *,
        actor: str,
        partial: bool = False,
        progress: Optional[Callable[[Progress], Any]] = None,
        session: Optional[str] = None,
        allow_secrets: bool = False,
        prefix: Optional[str] = None,
    ) -> ImportReport:
        """Imports a folder of architecture decision records; `prefix` stands before the number in their aliases."""
    def import_beads(
        self,
        path: _Path,
        *,
        actor: str,
        partial: bool = False,
        progress: Optional[Callable[[Progress], Any]] = None,
        session: Optional[str] = None,
        allow_secrets: bool = False,
    ) -> ImportReport:
        """Imports an issue file of beads."""
    def export_jsonl(self, path: _Path, *, log: bool = False) -> ExportReport:
        """Writes the record to a file that appears whole or not at all: what import reads, or with `log` the operations."""
    def export_graph(self) -> Dict[str, Any]:
        """Gives the record as one graph in the node-link form that graph libraries read."""
    @property
    def ranking(self) -> RankingTable:
        """The table of weights that orders what a retrieval finds."""
    def set_ranking(self, table: RankingTable) -> None:
        """Puts another ranking table in force for this handle."""
    def set_token_counter(self, counter: Callable[[str], int]) -> None:
        """Counts tokens with a function from a text to a number wherever this handle keeps a budget; they are estimated otherwise.
        One that raises is left out for the rest of that answer, which says so.
        """
    @property
    def defaults(self) -> Dict[str, Union[int, float]]:
        """Every default number, by name; a fresh dictionary at every look."""
    def import_log(self, path: _Path) -> int:
        """Imports a file that `export_jsonl` wrote with `log` into this record, which must be empty; gives the head."""
    def backup(self, path: _Path) -> None:
        """Writes the record as it stands now into a new or empty folder, while others read and write."""
    def compact(self) -> bool:
        """Writes the record's file anew without free pages, and ends a purge that others were in the way of; False if they still are."""
    @staticmethod
    def migrate(path: _Path) -> bool:
        """Brings the record in a folder to this release's format; False if it has that format. Other
        releases cannot open it afterwards.
        """
    def verify_log(self) -> int:
        """Checks that the log has no gap and that every hash is what it should be; gives the head."""
    def verify_views(self) -> int:
        """Applies the whole log to empty views and compares them with the record's; gives the head."""
    def catch_up(self) -> bool:
        """Brings the indexes up to the head now; False if somebody else was at it. Never needed for right answers."""
    def rebuild_indexes(self, *, reembed: bool = False) -> None:
        """Makes the indexes anew from the record; with `reembed` the embedder is asked again for every text. Answers are right
        before, meanwhile and after.
        """
    def health(self, *, full: bool = False, files: Optional[Iterable[str]] = None) -> Health:
        """Says what condition the record is in; nothing is changed. `full` reads every byte of the log and of the indexes and
        compares facts by meaning; `files`, the project's files relative to it, shows which anchors lead nowhere.
        """
    def sweep(
        self, judge: Optional[Callable[[Retirement], _Verdict]] = None, *, apply: bool = False, actor: Optional[str] = None
    ) -> Sweep:
        """Judges every retirement: with the built-in judge, or with a function from a Retirement to "holds", "fails" or "unsure".

        With `apply`, in the actor's name, those that fail become mere connections and the buried facts are live again. What the
        judge raises is raised, and then nothing is applied.
        """
    def tools(self, *, tier: _Tier = "write") -> List[Tool]:
        """The tools for an agent that may go up to a tier: "read", "write" or "destructive"."""
    def call_tool(
        self, name: str, arguments: Dict[str, Any], *, actor: str, session: Optional[str] = None, tier: _Tier = "write"
    ) -> Dict[str, Any]:
        """Calls a tool for an actor with a dictionary of arguments, and gives a dictionary."""
    def _call(self, verb: str, arguments: str) -> str:
        """Calls a verb by its name with a JSON object of arguments; gives its result as JSON, with the same fields as in every
        language.
        """
    def close(self) -> None:
        """Closes the handle: later calls raise ClosedError. Closing twice is no error."""
    def __enter__(self) -> Record: ...
    def __exit__(
        self, kind: Optional[Type[BaseException]] = None, error: Optional[BaseException] = None, trace: Optional[TracebackType] = None
    ) -> None: ...
@final
class Recorder:
    """The writing side of a record, bound to an actor. Every verb is one operation, durable when it returns. Threads may share it."""
    @property
    def actor(self) -> str:
        """Who writes."""
    @property
    def session(self) -> Optional[str]:
        """In which session."""
    def fact(
        self,
        category: _Category,
        title: str,
        *,
        body: str = "",
        alias: Optional[str] = None,
        tags: Iterable[str] = (),
        component: Optional[str] = None,
        anchors: Iterable[_AnchorGiven] = (),
        source: Optional[_SourceGiven] = None,
        created_at: Optional[_Time] = None,
        expires_at: Optional[_Time] = None,
        resolves_with: Optional[str] = None,
        review_at: Optional[_Time] = None,
        allow_secrets: bool = False,
    ) -> Recorded:
        """Records a fact of a category."""
    def task(
        self,
        title: str,
        *,
        type: _TaskType = "task",
        success_criteria: str = "",
        body: str = "",
        priority: Optional[int] = None,
        alias: Optional[str] = None,
        tags: Iterable[str] = (),
        component: Optional[str] = None,
        anchors: Iterable[_AnchorGiven] = (),
        source: Optional[_SourceGiven] = None,
        created_at: Optional[_Time] = None,
        expires_at: Optional[_Time] = None,
        resolves_with: Optional[str] = None,
        review_at: Optional[_Time] = None,
        allow_secrets: bool = False,
    ) -> Recorded:
        """Records a task, or with another type a container of tasks."""
    def rule(
        self,
        title: str,
        *,
        statement: str,
        trigger: str = "",
        mandatory: bool = False,
        always_on: bool = False,
        forbidden: Iterable[str] = (),
        instead: str = "",
        domain: Optional[str] = None,
        severity: _Severity = "medium",
        points: Iterable[str] = (),
        keywords: Iterable[str] = (),
        floor_modes: Iterable[str] = (),
        action_triggers: Iterable[str] = (),
        methodology: Optional[str] = None,
        body: str = "",
        alias: Optional[str] = None,
        tags: Iterable[str] = (),
        component: Optional[str] = None,
        anchors: Iterable[_AnchorGiven] = (),
        source: Optional[_SourceGiven] = None,
        created_at: Optional[_Time] = None,
        expires_at: Optional[_Time] = None,
        resolves_with: Optional[str] = None,
        review_at: Optional[_Time] = None,
        allow_secrets: bool = False,
    ) -> Recorded:
        """Records a rule: what to do, and when it is delivered."""
    def propose(
        self,
        title: str,
        *,
        statement: str,
        trigger: str = "",
        mandatory: bool = False,
        always_on: bool = False,
        forbidden: Iterable[str] = (),
        instead: str = "",
        domain: Optional[str] = None,
        severity: _Severity = "medium",
        points: Iterable[str] = (),
        keywords: Iterable[str] = (),
        floor_modes: Iterable[str] = (),
        action_triggers: Iterable[str] = (),
        methodology: Optional[str] = None,
        body: str = "",
        alias: Optional[str] = None,
        tags: Iterable[str] = (),
        component: Optional[str] = None,
        anchors: Iterable[_AnchorGiven] = (),
        source: Optional[_SourceGiven] = None,
        created_at: Optional[_Time] = None,
        expires_at: Optional[_Time] = None,
        resolves_with: Optional[str] = None,
        review_at: Optional[_Time] = None,
        allow_secrets: bool = False,
    ) -> Proposal:
        """Proposes a rule: it is stored as provisional, or refused with every reason."""
    def feedback(self, rule: str, felt: Literal["helped", "hurt"], *, key: Optional[str] = None) -> RuleFeedback:
        """Counts that a rule "helped" or "hurt"; the same key counts once for a rule."""
    def promote(self, rule: str, *, approval: str) -> str:
        """Makes a proposed rule a rule, if this recorder has the right to; gives its id."""
    def document(
        self,
        title: str,
        *,
        body: str,
        alias: Optional[str] = None,
        tags: Iterable[str] = (),
        component: Optional[str] = None,
        anchors: Iterable[_AnchorGiven] = (),
        source: Optional[_SourceGiven] = None,
        created_at: Optional[_Time] = None,
        expires_at: Optional[_Time] = None,
        resolves_with: Optional[str] = None,
        review_at: Optional[_Time] = None,
        allow_secrets: bool = False,
    ) -> Recorded:
        """Records a document, found by its passages."""
    def diagram(
        self,
        title: str,
        *,
        body: str,
        alias: Optional[str] = None,
        tags: Iterable[str] = (),
        component: Optional[str] = None,
        anchors: Iterable[_AnchorGiven] = (),
        source: Optional[_SourceGiven] = None,
        created_at: Optional[_Time] = None,
        expires_at: Optional[_Time] = None,
        resolves_with: Optional[str] = None,
        review_at: Optional[_Time] = None,
        allow_secrets: bool = False,
    ) -> Recorded:
        """Records a diagram as text."""
    def component(
        self,
        title: str,
        *,
        parent: Optional[str] = None,
        body: str = "",
        alias: Optional[str] = None,
        tags: Iterable[str] = (),
        anchors: Iterable[_AnchorGiven] = (),
        source: Optional[_SourceGiven] = None,
        created_at: Optional[_Time] = None,
        expires_at: Optional[_Time] = None,
        resolves_with: Optional[str] = None,
        review_at: Optional[_Time] = None,
        allow_secrets: bool = False,
    ) -> Recorded:
        """Records a part of the system, under another one or under none."""
    def revise(
        self,
        id: str,
        *,
        title: Optional[str] = None,
        body: Optional[str] = None,
        tags: Optional[Iterable[str]] = None,
        source: Optional[_SourceGiven] = None,
        expires_at: Optional[_Time] = ...,
        resolves_with: Optional[str] = ...,
        review_at: Optional[_Time] = ...,
        statement: Optional[str] = None,
        allow_secrets: bool = False,
    ) -> Recorded:
        """Changes what a node says; what is left out stays. None clears an end or a review."""
    def link(
        self,
        from_: str,
        relation: _Relation,
        to: str,
        *,
        reason: str = "",
        evidence: str = "",
        allow_secrets: bool = False,
    ) -> None:
        """Joins two nodes: `from_ relation to`."""
    def unlink(
        self,
        from_: str,
        relation: _Relation,
        to: str,
        *,
        why: str,
        allow_secrets: bool = False,
    ) -> None:
        """Takes an edge away. A retirement is undone by `demote` instead."""
    def supersede(
        self,
        newer: str,
        older: str,
        *,
        reason: str,
        evidence: str,
        source_text: Optional[_SourceText] = None,
        unverified: bool = False,
        allow_secrets: bool = False,
    ) -> None:
        """Retires `older` in favour of `newer`: it was a standing state, and it ended. The evidence is quoted word for word."""
    def demote(self, newer: str, older: str, *, why: str, allow_secrets: bool = False) -> None:
        """Turns a retirement into `relates-to`."""
    def retag(self, id: str, *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> str:
        """Adds and removes tags; gives the node's id."""
    def move(self, id: str, *, component: Optional[str]) -> str:
        """Puts a node under a component, or with None under none; gives the node's id."""
    def anchor(self, id: str, *, add: Iterable[_AnchorGiven] = (), remove: Iterable[str] = ()) -> str:
        """Adds anchors and removes all anchors of the paths given; gives the node's id."""
    def alias(self, id: str, alias: str) -> str:
        """Gives a node one more name from elsewhere; gives its id."""
    def review(self, id: str, *, note: str = "", allow_secrets: bool = False) -> str:
        """Confirms that a node still holds; gives its id."""
    def archive(self, id: str, *, why: str, allow_secrets: bool = False) -> str:
        """Puts a node away: no longer found, served only when named or as a head; gives its id."""
    def purge(self, id: str, *, why: str, literals: Iterable[str] = ()) -> Purged:
        """Takes a node's text out of the record for good, and every literal given; a tombstone with the id is left."""
    def claim(self, task: _TaskGiven, *, lease: Optional[_Length] = None, holder: Optional[str] = None) -> Claim:
        """Claims a task, or renews a claim on it. Losing is a result: `granted` is false and the holder is named."""
    def claim_next(
        self, *, lease: Optional[_Length] = None, tags: Iterable[str] = (), component: Optional[str] = None
    ) -> Optional[Claim]:
        """Claims the first task that is ready; None if there is none."""
    def release(self, task: _TaskGiven) -> str:
        """Gives a claimed task back; its holder only. Gives the task's id."""
    def force_release(self, task: str, *, why: str, allow_secrets: bool = False) -> str:
        """Takes a claimed task from whoever has it; gives its id."""
    def complete(self, task: _TaskGiven, *, summary: str, allow_secrets: bool = False) -> TaskChange:
        """Ends a task as done; gives the facts that ended with it."""
    def cancel(self, task: _TaskGiven, *, why: str, allow_secrets: bool = False) -> TaskChange:
        """Ends a task as given up; gives the facts that hang on it, which hold on."""
    def reopen(self, task: str, *, why: str, allow_secrets: bool = False) -> TaskChange:
        """Opens a completed or cancelled task again; gives the facts that hold again."""
    def transaction(self) -> Transaction:
        """Makes everything that this recorder writes in a with-statement one atomic step: all of it is kept, or with an exception
        nothing, and nobody sees any of it before. The statement gives a recorder, which other threads may use too.
        """
@final
class Transaction:
    """One transaction, for one with-statement."""
    def __enter__(self) -> Recorder: ...
    def __exit__(
        self, kind: Optional[Type[BaseException]] = None, error: Optional[BaseException] = None, trace: Optional[TracebackType] = None
    ) -> None: ...
@final
class RankingTable:
    """The weights that order a window: category plus relation minus distance times hops.

    What is not given has its default. Components always score 0 and have no weight.
    """
    def __new__(
        cls,
        *,
        classes: Optional[Mapping[str, float]] = None,
        relations: Optional[Mapping[str, float]] = None,
        match: Optional[float] = None,
        distance: Optional[float] = None,
    ) -> RankingTable: ...
    def replace(
        self,
        *,
        classes: Optional[Mapping[str, float]] = None,
        relations: Optional[Mapping[str, float]] = None,
        match: Optional[float] = None,
        distance: Optional[float] = None,
    ) -> RankingTable:
        """The same table with other weights where they are given."""
    @property
    def classes(self) -> Dict[str, float]:
        """The weight of each category and kind; a fresh dictionary at every look."""
    @property
    def relations(self) -> Dict[str, float]:
        """The weight of each relation; a fresh dictionary at every look."""
    @property
    def match(self) -> float:
        """What takes the relation's place for a node that was found or named itself."""
    @property
    def distance(self) -> float:
        """What each hop takes away."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
@final
class Retriever:
    """The reading side of a record: it cannot write, whatever is called on it. Threads may share it."""
    def retrieve(
        self,
        prompt: str,
        *,
        session: Optional[str] = None,
        deadline: Optional[_Length] = 8.0,
        walk_budget: Optional[_Length] = 6.0,
        max_entries: Optional[int] = 20,
        max_tokens: Optional[int] = None,
        hops: Optional[int] = 1,
        now: Optional[_Time] = None,
        deliver: bool = False,
    ) -> Retrieval:
        """Looks up what the record holds that bears on a prompt, within the time given."""
    def search(
        self,
        query: str,
        *,
        mode: Literal["hybrid", "text", "semantic"] = "hybrid",
        limit: Optional[int] = 10,
        kinds: Optional[Iterable[_Kind]] = None,
        categories: Optional[Iterable[_Category]] = None,
        states: Optional[Iterable[_State]] = None,
        tags: Optional[Iterable[str]] = None,
        component: Optional[str] = None,
        since: Optional[_Time] = None,
        until: Optional[_Time] = None,
        deadline: Optional[_Length] = None,
    ) -> List[Hit]:
        """Finds the nodes that answer a query best. Any text is a query; there is no syntax.

        Where time runs out, it gives what was found by then, and nothing in a list of hits says so: `retrieve` and `recall` do.
        """
    def recall(
        self,
        question: str,
        *,
        seeds: Optional[int] = 10,
        depth: Optional[int] = 2,
        max_entries: Optional[int] = 30,
        deadline: Optional[_Length] = 8.0,
        now: Optional[_Time] = None,
    ) -> Retrieval:
        """Looks a question up deliberately: more seeds, further hops and more entries than a prompt gets."""
    def get(self, id: str) -> Node:
        """Gives a node by id or alias, whatever its state."""
    def neighbours(
        self,
        id: str,
        *,
        relations: Optional[Iterable[_Relation]] = None,
        direction: Literal["both", "out", "in"] = "both",
        limit: Optional[int] = 50,
    ) -> List[Neighbour]:
        """Gives the neighbours of a node, those that weigh most first."""
    def history(self, id: str) -> List[HistoryItem]:
        """Gives the operations that concern a node, oldest first."""
    def why(self, id: str) -> Why:
        """Says where a node comes from and what it replaced, down to the first."""
    def conflicts(self, ids: Optional[Iterable[str]] = None) -> List[Conflict]:
        """Lists the pairs of live nodes that contradict each other: all, or those of the nodes given."""
    def ready(self, *, limit: Optional[int] = 20, tags: Iterable[str] = (), component: Optional[str] = None) -> List[Task]:
        """Lists the tasks that one could take now, by priority, then oldest first."""
    def tasks(self, *, holder: Optional[str] = None, status: Optional[_Status] = None) -> List[Task]:
        """Lists tasks, last changed first: of a holder and of a status, where they are given."""
    def handoff(self, task: str) -> str:
        """Writes a task out for whoever continues it, with its decisions, risks, open questions and history."""
    def progress(self, container: str) -> ContainerProgress:
        """Says how far a container is, counted in the tasks that it waits for."""
    def rules(
        self, *, point: _Point = "prompt", mode: Optional[str] = "work", text: Optional[str] = "", cap: Optional[int] = 5000
    ) -> Obligations:
        """Gives the rules that a turn must carry; no mandatory one is ever missing."""
    def methodology(
        self, *, mode: str, action: Optional[str] = None, text: Optional[str] = "", max_tokens: Optional[int] = 2000
    ) -> Methodology:
        """Gives the skills, playbooks, techniques and anti-patterns that a mode, an action or the words of a text call."""
    def feedback(self, rule: str) -> RuleFeedback:
        """Says what was counted for a rule since its statement became what it is."""
@final
class Anchor:
    """A place in the project that a node is about."""
    @property
    def path(self) -> str: ...
    @property
    def symbol(self) -> Optional[str]: ...
@final
class Source:
    """Where a fact comes from."""
    @property
    def uri(self) -> str: ...
    @property
    def revision(self) -> Optional[str]: ...
    @property
    def quote(self) -> Optional[str]: ...
    @property
    def known(self) -> Optional[_Known]: ...
    @property
    def applies_to(self) -> Optional[str]: ...
@final
class Node:
    """A node, whole. What only tasks or only rules have is None on other nodes."""
    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> List[str]: ...
    @property
    def kind(self) -> _Kind: ...
    @property
    def category(self) -> Optional[_Category]: ...
    @property
    def state(self) -> _State: ...
    @property
    def status(self) -> Optional[_Status]: ...
    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def tags(self) -> List[str]: ...
    @property
    def component(self) -> Optional[str]: ...
    @property
    def source(self) -> Optional[Source]: ...
    @property
    def anchors(self) -> List[Anchor]: ...
    @property
    def expires_at(self) -> Optional[datetime.datetime]: ...
    @property
    def resolves_with(self) -> Optional[str]: ...
    @property
    def review_at(self) -> Optional[datetime.datetime]: ...
    @property
    def created_at(self) -> datetime.datetime: ...
    @property
    def updated_at(self) -> datetime.datetime: ...
    @property
    def verified_at(self) -> Optional[datetime.datetime]: ...
    @property
    def actor(self) -> str: ...
    @property
    def session(self) -> Optional[str]: ...
    @property
    def revision(self) -> int: ...
    @property
    def claim(self) -> Optional[ClaimNote]: ...
    @property
    def retired_by(self) -> List[str]: ...
    @property
    def type(self) -> Optional[_TaskType]: ...
    @property
    def priority(self) -> Optional[int]: ...
    @property
    def success_criteria(self) -> Optional[str]: ...
    @property
    def statement(self) -> Optional[str]: ...
    @property
    def trigger(self) -> Optional[str]: ...
    @property
    def mandatory(self) -> Optional[bool]: ...
    @property
    def always_on(self) -> Optional[bool]: ...
    @property
    def forbidden(self) -> Optional[List[str]]: ...
    @property
    def instead(self) -> Optional[str]: ...
    @property
    def domain(self) -> Optional[str]: ...
    @property
    def severity(self) -> Optional[_Severity]: ...
    @property
    def points(self) -> Optional[List[str]]: ...
    @property
    def keywords(self) -> Optional[List[str]]: ...
    @property
    def floor_modes(self) -> Optional[List[str]]: ...
    @property
    def action_triggers(self) -> Optional[List[str]]: ...
    @property
    def methodology(self) -> Optional[str]: ...
    @property
    def provisional(self) -> Optional[bool]: ...
@final
class Neighbour:
    """A node at the other end of an edge."""
    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> _Kind: ...
    @property
    def category(self) -> Optional[_Category]: ...
    @property
    def state(self) -> _State: ...
    @property
    def title(self) -> str: ...
    @property
    def relation(self) -> _Relation: ...
    @property
    def outgoing(self) -> bool: ...
    @property
    def reason(self) -> str: ...
    @property
    def evidence(self) -> Optional[str]: ...
    @property
    def at(self) -> datetime.datetime: ...
    @property
    def automatic(self) -> bool: ...
@final
class HistoryItem:
    """One operation that concerns a node."""
    @property
    def sequence(self) -> int: ...
    @property
    def at(self) -> datetime.datetime: ...
    @property
    def actor(self) -> str: ...
    @property
    def session(self) -> Optional[str]: ...
    @property
    def action(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def title(self) -> Optional[str]: ...
    @property
    def body(self) -> Optional[str]: ...
@final
class Why:
    """Where a node comes from and what it stands on."""
    @property
    def node(self) -> Node: ...
    @property
    def replaced(self) -> List[Origin]: ...
    @property
    def replaced_by(self) -> List[Replacement]: ...
@final
class Origin:
    """One link of a chain of replacements."""
    @property
    def replacement(self) -> Replacement: ...
    @property
    def by(self) -> str: ...
    @property
    def depth(self) -> int: ...
    @property
    def created_at(self) -> datetime.datetime: ...
    @property
    def actor(self) -> str: ...
    @property
    def source(self) -> Optional[Source]: ...
@final
class Conflict:
    """Two live nodes that contradict each other."""
    @property
    def a(self) -> Pointer: ...
    @property
    def b(self) -> Pointer: ...
    @property
    def reason(self) -> str: ...
    @property
    def since(self) -> datetime.datetime: ...
@final
class Advice:
    """One piece of advice; never a reason to stop."""
    @property
    def kind(self) -> Literal["near_duplicate", "may_contradict", "no_trigger", "no_end", "own_output"]: ...
    @property
    def message(self) -> str: ...
    @property
    def ids(self) -> List[str]: ...
@final
class RuleEntry:
    """A rule as the obligations or methodology deliver it. `pointed` says why it comes as one line: "shown" before, or
    "not_here"; `channel` is set for methodology.
    """
    @property
    def id(self) -> str: ...
    @property
    def revision(self) -> int: ...
    @property
    def channel(self) -> Optional[Literal["floor", "push", "pull"]]: ...
    @property
    def matched(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def trigger(self) -> str: ...
    @property
    def statement(self) -> str: ...
    @property
    def mandatory(self) -> bool: ...
    @property
    def always_on(self) -> bool: ...
    @property
    def forbidden(self) -> List[str]: ...
    @property
    def instead(self) -> str: ...
    @property
    def domain(self) -> Optional[str]: ...
    @property
    def severity(self) -> _Severity: ...
    @property
    def methodology(self) -> Optional[str]: ...
    @property
    def has_body(self) -> bool: ...
    @property
    def pointed(self) -> Optional[Literal["shown", "not_here"]]: ...
    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> int: ...
@final
class Obligations:
    """The rules that a turn must carry."""
    @property
    def entries(self) -> List[RuleEntry]: ...
    @property
    def pointers(self) -> List[RuleEntry]: ...
    @property
    def tokens(self) -> int: ...
    @property
    def over_budget(self) -> bool: ...
    def render(self, format: Literal["text", "json"] = "text") -> str:
        """Writes them out, as "text" for a model or as "json" for a program."""
@final
class Methodology:
    """What a mode, an action or the words of a text call."""
    @property
    def entries(self) -> List[RuleEntry]: ...
    @property
    def left(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def over_budget(self) -> bool: ...
    def render(self, format: Literal["text", "json"] = "text") -> str:
        """Writes it out, as "text" for a model or as "json" for a program."""
@final
class Refusal:
    """One reason against a proposed rule."""
    @property
    def reason(self) -> Literal["duplicate", "not_novel", "vague", "unchecked"]: ...
    @property
    def message(self) -> str: ...
    @property
    def ids(self) -> List[str]: ...
@final
class Proposal:
    """What became of a proposed rule: its id, or every reason why it was not stored."""
    @property
    def accepted(self) -> bool: ...
    @property
    def id(self) -> Optional[str]: ...
    @property
    def refused(self) -> List[Refusal]: ...
@final
class RuleFeedback:
    """What was counted for a rule since its statement became what it is."""
    @property
    def rule(self) -> str: ...
    @property
    def helped(self) -> int: ...
    @property
    def hurt(self) -> int: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def ready(self) -> bool: ...
    @property
    def counted(self) -> bool: ...
@final
class Recorded:
    """A recorded node and what there is to say about it."""
    @property
    def id(self) -> str: ...
    @property
    def advice(self) -> List[Advice]: ...
@final
class Progress:
    """How far an import has come."""
    @property
    def phase(self) -> Literal["reading", "checking", "appending", "done"]: ...
    @property
    def lines(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def total_bytes(self) -> Optional[int]: ...
    @property
    def faults(self) -> int: ...
@final
class ImportFault:
    """One line that could not be imported; it unpacks into line, code and message."""
    @property
    def path(self) -> Optional[str]: ...
    @property
    def line(self) -> int: ...
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...
    def __iter__(self) -> Iterator[Union[int, str]]: ...
@final
class Skipped:
    """Something in the imported source that was passed over on purpose."""
    @property
    def what(self) -> str: ...
    @property
    def why(self) -> str: ...
@final
class ImportReport:
    """What an import did."""
    @property
    def applied(self) -> bool: ...
    @property
    def lines(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def revised(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def unchanged(self) -> int: ...
    @property
    def unverified(self) -> int: ...
    @property
    def weakened(self) -> int: ...
    @property
    def ignored_fields(self) -> Dict[str, int]: ...
    @property
    def skipped(self) -> List[Skipped]: ...
    @property
    def skipped_count(self) -> int: ...
    @property
    def errors(self) -> List[ImportFault]: ...
    @property
    def error_count(self) -> int: ...
@final
class ExportReport:
    """What an export has written."""
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def operations(self) -> int: ...
    @property
    def bytes(self) -> int: ...
@final
class Finding:
    """One thing that the health check found."""
    @property
    def check(self) -> str: ...
    @property
    def severity(self) -> Literal["error", "warn", "info"]: ...
    @property
    def ids(self) -> List[str]: ...
    @property
    def message(self) -> str: ...
    @property
    def remedy(self) -> str: ...
@final
class Health:
    """The condition of a record."""
    @property
    def ok(self) -> bool: ...
    @property
    def findings(self) -> List[Finding]: ...
@final
class Judged:
    """A node as a judge sees it."""
    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
@final
class Retirement:
    """What a judge is asked about. `verbatim` says whether the evidence still stands where it was found; None if that cannot be read again."""
    @property
    def newer(self) -> Judged: ...
    @property
    def older(self) -> Judged: ...
    @property
    def reason(self) -> str: ...
    @property
    def evidence(self) -> Optional[str]: ...
    @property
    def verbatim(self) -> Optional[bool]: ...
@final
class Judgement:
    """One retirement with what was said of it."""
    @property
    def newer(self) -> str: ...
    @property
    def older(self) -> str: ...
    @property
    def verdict(self) -> _Verdict: ...
    @property
    def why(self) -> str: ...
    @property
    def demoted(self) -> bool: ...
@final
class Sweep:
    """What a sweep found."""
    @property
    def judgements(self) -> List[Judgement]: ...
@final
class Purged:
    """What a purge did. `complete` is False while another handle keeps a file that holds the text."""
    @property
    def id(self) -> str: ...
    @property
    def operations(self) -> int: ...
    @property
    def others(self) -> List[str]: ...
    @property
    def complete(self) -> bool: ...
@final
class Tool:
    """One tool, as a host passes it on to a model. `input_schema` is a fresh dictionary at every look."""
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> Dict[str, Any]: ...
    @property
    def tier(self) -> _Tier: ...
@final
class Pointer:
    """A node's id with its title."""
    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
@final
class Replacement:
    """A node that this one replaced or was replaced by, with what the change rests on."""
    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def evidence(self) -> Optional[str]: ...
    @property
    def unverified(self) -> bool: ...
@final
class ClaimNote:
    """Who works on a task."""
    @property
    def holder(self) -> str: ...
    @property
    def since(self) -> datetime.datetime: ...
    @property
    def until(self) -> Optional[datetime.datetime]: ...
@final
class Claim:
    """How a call for a task ended: granted, or held by somebody else."""
    @property
    def task(self) -> str: ...
    @property
    def granted(self) -> bool: ...
    @property
    def holder(self) -> str: ...
    @property
    def since(self) -> datetime.datetime: ...
    @property
    def until(self) -> Optional[datetime.datetime]: ...
    @property
    def taken_from(self) -> Optional[str]: ...
    @property
    def token(self) -> Optional[int]: ...
@final
class TaskChange:
    """What a change of a task's status did to the facts that hang on it."""
    @property
    def task(self) -> str: ...
    @property
    def status(self) -> _Status: ...
    @property
    def resolved(self) -> List[str]: ...
    @property
    def hanging(self) -> List[str]: ...
    @property
    def revived(self) -> List[str]: ...
@final
class ContainerProgress:
    """How far a container is: completed leaves, and leaves that are not cancelled."""
    @property
    def completed(self) -> int: ...
    @property
    def total(self) -> int: ...
@final
class Task:
    """A task as lists of tasks show it."""
    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> List[str]: ...
    @property
    def title(self) -> str: ...
    @property
    def type(self) -> _TaskType: ...
    @property
    def priority(self) -> int: ...
    @property
    def status(self) -> _Status: ...
    @property
    def state(self) -> _State: ...
    @property
    def claim(self) -> Optional[ClaimNote]: ...
    @property
    def blocked_by(self) -> List[str]: ...
    @property
    def progress(self) -> Optional[ContainerProgress]: ...
    @property
    def tags(self) -> List[str]: ...
    @property
    def component(self) -> Optional[str]: ...
    @property
    def created_at(self) -> datetime.datetime: ...
    @property
    def updated_at(self) -> datetime.datetime: ...
@final
class Score:
    """The parts of a score: category plus relation minus distance."""
    @property
    def category(self) -> float: ...
    @property
    def relation(self) -> float: ...
    @property
    def distance(self) -> float: ...
@final
class Entry:
    """One node in a window."""
    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> List[str]: ...
    @property
    def kind(self) -> _Kind: ...
    @property
    def category(self) -> Optional[_Category]: ...
    @property
    def container(self) -> bool: ...
    @property
    def state(self) -> _State: ...
    @property
    def status(self) -> Optional[_Status]: ...
    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def passage(self) -> str: ...
    @property
    def detail(self) -> Literal["full", "cut", "line"]: ...
    @property
    def cut_chars(self) -> int: ...
    @property
    def role(self) -> Literal["callout", "named", "head", "seed", "walked", "cued"]: ...
    @property
    def score(self) -> float: ...
    @property
    def score_parts(self) -> Score: ...
    @property
    def explain(self) -> str: ...
    @property
    def hops(self) -> int: ...
    @property
    def via(self) -> Optional[_Relation]: ...
    @property
    def from_(self) -> Optional[Pointer]: ...
    @property
    def seed_rank(self) -> Optional[int]: ...
    @property
    def replaces(self) -> List[Replacement]: ...
    @property
    def replaced_by(self) -> List[Replacement]: ...
    @property
    def reason(self) -> Optional[str]: ...
    @property
    def evidence(self) -> Optional[str]: ...
    @property
    def conflicts(self) -> List[Pointer]: ...
    @property
    def folded(self) -> List[str]: ...
    @property
    def claim(self) -> Optional[ClaimNote]: ...
    @property
    def tokens(self) -> int: ...
    @property
    def revision(self) -> int: ...
    @property
    def created_at(self) -> datetime.datetime: ...
    @property
    def source(self) -> Optional[Source]: ...
    @property
    def review_at(self) -> Optional[datetime.datetime]: ...
    @property
    def verified_at(self) -> Optional[datetime.datetime]: ...
    @property
    def anchors(self) -> List[Anchor]: ...
@final
class CalloutLine:
    """A risk that did not fit in full."""
    @property
    def risk(self) -> Pointer: ...
    @property
    def via(self) -> _Relation: ...
    @property
    def from_(self) -> str: ...
@final
class Gap:
    """One thing that a retrieval did not get to."""
    @property
    def kind(
        self,
    ) -> Literal["text", "meaning", "walk", "edges", "entries", "named", "callouts", "bodies", "session", "tokens"]: ...
    @property
    def count(self) -> int: ...
    @property
    def note(self) -> str: ...
@final
class Corrected:
    """A reference that named a number under another kind."""
    @property
    def written(self) -> str: ...
    @property
    def id(self) -> str: ...
@final
class Stats:
    """Counted work of one retrieval."""
    @property
    def head(self) -> int: ...
    @property
    def text_sequence(self) -> int: ...
    @property
    def vector_sequence(self) -> int: ...
    @property
    def tail(self) -> int: ...
    @property
    def postings(self) -> int: ...
    @property
    def vectors(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def texts(self) -> int: ...
    @property
    def embedded(self) -> int: ...
@final
class Retrieval:
    """What a retrieval gives: the window in its order, and what it did not get to."""
    @property
    def delivery(self) -> str:
        """What `Session.delivered` is told, as a text that another process may keep."""
    @property
    def status(self) -> Literal["found", "abstained", "empty", "served", "too_short", "paused", "late"]: ...
    @property
    def entries(self) -> List[Entry]: ...
    @property
    def callouts(self) -> List[Entry]: ...
    @property
    def callout_lines(self) -> List[CalloutLine]: ...
    @property
    def conflicts(self) -> List[Tuple[str, str]]: ...
    @property
    def gaps(self) -> List[Gap]: ...
    @property
    def corrected(self) -> List[Corrected]: ...
    @property
    def stats(self) -> Stats: ...
    @property
    def now(self) -> datetime.datetime: ...
    @property
    def max_tokens(self) -> Optional[int]: ...
    @property
    def tokens(self) -> int:
        """The text in tokens."""
    @property
    def briefing(self) -> bool: ...
    def render(self, format: Literal["text", "json"] = "text") -> str:
        """Writes it out, as "text" for a model or as "json" for a program."""
@final
class Session:
    """The moments of one agent session: what the record has to say, and when. Threads may share it, and processes the session."""
    @property
    def name(self) -> str:
        """The name of the session."""
    @property
    def mode(self) -> str:
        """The mode that the session is in."""
    @property
    def turn(self) -> int:
        """How many prompts it had, or the turn after the last that the host counted."""
    @property
    def edited(self) -> bool:
        """True once it was told what is anchored to a file that it was about to change."""
    @property
    def tokens_left(self) -> Optional[int]:
        """What is left of its tokens for the record; None without a budget."""
    def on_start(self) -> Moment:
        """Tells a session that starts or goes on what it holds, where it stopped, and what others did since."""
    def on_prompt(
        self,
        prompt: str,
        *,
        turn: Optional[int] = None,
        mode: Optional[str] = None,
        action: Optional[str] = None,
        point: _Point = "prompt",
        capabilities: Iterable[str] = (),
        providers: Iterable[Provider] = (),
        builtin: Union[bool, Iterable[str]] = True,
        root: Optional[_Path] = None,
        token_budget: Optional[int] = 8000,
        deadline: Optional[_Length] = 8.0,
        select_skills: Iterable[str] = (),
        now: Optional[_Time] = None,
        strict: bool = False,
        deliver: bool = True,
        max_entries: Optional[int] = 20,
        max_tokens: Optional[int] = None,
        hops: Optional[int] = 1,
        skill_folders: Optional[Iterable[str]] = None,
        base_revision: Optional[str] = None,
        rule_files: Iterable[str] = (),
        system: Iterable[Union[str, ProviderEntry]] = (),
        about: Iterable[str] = (),
    ) -> Context:
        """Answers a prompt: what `Record.assemble` gives, for this session. Counts the turn."""
    def plan(
        self,
        prompt: str,
        *,
        turn: Optional[int] = None,
        mode: Optional[str] = None,
        action: Optional[str] = None,
        point: _Point = "prompt",
        capabilities: Iterable[str] = (),
        providers: Iterable[Provider] = (),
        builtin: Union[bool, Iterable[str]] = True,
        root: Optional[_Path] = None,
        token_budget: Optional[int] = 8000,
        deadline: Optional[_Length] = 8.0,
        select_skills: Iterable[str] = (),
        now: Optional[_Time] = None,
        strict: bool = False,
        deliver: bool = True,
        max_entries: Optional[int] = 20,
        max_tokens: Optional[int] = None,
        hops: Optional[int] = 1,
        skill_folders: Optional[Iterable[str]] = None,
        base_revision: Optional[str] = None,
        rule_files: Iterable[str] = (),
        system: Iterable[Union[str, ProviderEntry]] = (),
        about: Iterable[str] = (),
    ) -> Plan:
        """Begins to answer a prompt, for a host that asks providers itself."""
    def on_edit(self, path: _Path, *, symbol: Optional[str] = None) -> Moment:
        """Tells what is anchored to a path, and to a symbol in it, risks first; before the first edit also a nudge.

        The path is relative to the project's root or to the current folder, or absolute.
        """
    def on_output(self, text: str) -> Moment:
        """Tells the lessons and risks a literal trigger of which stands in what a tool printed."""
    def on_complete(self, task: Optional[str] = None) -> Moment:
        """Around completion: the facts that the work may have ended, of a task or else of the tasks that the session holds; the
        first time also a nudge.
        """
    def delivered(self, what: Union[Context, Moment, Retrieval, Resumed, str]) -> None:
        """Notes that something reached the session's model, so that it does not come again before it changes: a context, a moment,
        a retrieval, a turn taken up again, or the `delivery` of one, which another process may have kept.
        """
    def compacted(self) -> None:
        """Notes that the model's memory of the session was compacted: what was served may come again."""
    def new_phase(self) -> None:
        """Begins a phase of the work: what was served may come again."""
    def set_mode(self, mode: str) -> None:
        """Changes the mode; if it is another one, what was served may come again."""
    def pause(self, turns: int) -> None:
        """Keeps still for so many prompts: no window, nudge or moment. Obligations still arrive."""
    def unpause(self) -> None:
        """Ends a pause."""
    def set_aggressiveness(self, value: Literal["quiet", "normal"]) -> None:
        """Sets how much of the record the session wants: "quiet" or "normal"."""
@final
class Context:
    """What a prompt gets: one text, its sections, and what each of them was made of."""
    @property
    def delivery(self) -> str:
        """What `Session.delivered` is told, as a text that another process may keep."""
    @property
    def turn(self) -> int:
        """The turn it belongs to, from 0."""
    @property
    def text(self) -> str:
        """The sections that say something, in order, as one text."""
    @property
    def sections(self) -> List[Section]: ...
    @property
    def outcomes(self) -> List[Outcome]:
        """How each provider ended, in the order of the sections."""
    @property
    def digest(self) -> str:
        """SHA-256 of the text's bytes, in hexadecimal."""
    @property
    def item_id(self) -> Optional[str]:
        """The id of the item that carries the text in a later turn; None where there is none."""
    def render(self, format: Literal["text", "json"] = "text") -> str:
        """Writes it out, as "text" for a model or as "json" for a program."""
    @property
    def warnings(self) -> List[str]:
        """What a host should know, a line each."""
    @property
    def chars(self) -> int:
        """The text in characters."""
    @property
    def tokens(self) -> int:
        """The text in tokens, estimated unless the host counts them."""
    @property
    def obligations(self) -> Obligations:
        """The rules that the turn carries."""
    @property
    def methodology(self) -> Methodology:
        """The ways of working that fit."""
    @property
    def record(self) -> Retrieval:
        """The window, whatever its status."""
@final
class Resumed:
    """How a turn that is taken up again goes on."""
    @property
    def delivery(self) -> str:
        """What `Session.delivered` is told, as a text that another process may keep."""
    @property
    def action(self) -> Literal["skip", "append", "run"]:
        """What to do: "skip" for nothing, "append" the text, or "run" the assembly."""
    @property
    def turn(self) -> int:
        """The turn, from 0."""
    @property
    def text(self) -> str:
        """The text to append; empty for the other actions."""
    @property
    def item_id(self) -> Optional[str]:
        """The id of the item that the turn's context is; None in turn 0, whose context belongs into the first prompt."""
    @property
    def replaces(self) -> bool:
        """True if something stands in the transcript, or may, that what is assembled now takes the place of."""
    @property
    def digest(self) -> str:
        """SHA-256 of what was stored of the turn, in hexadecimal; empty if nothing was."""
    @property
    def outcomes(self) -> List[Dict[str, Any]]:
        """How the providers of the turn ended, as dictionaries."""
@final
class Outcome:
    """How one provider ended. `error` is what it raised, the same object."""
    @property
    def provider(self) -> str: ...
    @property
    def category(self) -> _ProviderCategory: ...
    @property
    def result(
        self,
    ) -> Literal["included", "empty", "turn_gated", "capability_gated", "timed_out", "failed", "budget_excluded", "invalid"]: ...
    @property
    def reason(self) -> str: ...
    @property
    def entries(self) -> int: ...
    @property
    def cut(self) -> int: ...
    @property
    def elsewhere(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def ms(self) -> int: ...
    @property
    def error(self) -> Optional[BaseException]: ...
@final
class Section:
    """A part of a context as a model reads it."""
    @property
    def provider(self) -> str: ...
    @property
    def category(self) -> _ProviderCategory: ...
    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> int: ...
@final
class Moment:
    """What the record says at a moment of a session; its text is empty if it has nothing new to say."""
    @property
    def delivery(self) -> str:
        """What `Session.delivered` is told, as a text that another process may keep."""
    @property
    def kind(self) -> Literal["start", "edit", "output", "complete"]:
        """Which moment it is."""
    @property
    def text(self) -> str:
        """The text for a model; empty if there is nothing to say."""
    @property
    def entries(self) -> List[Entry]:
        """What it is about: what is anchored there, what was learned about an error, what is held."""
    @property
    def callouts(self) -> List[Entry]:
        """Risks, best first."""
    @property
    def callout_lines(self) -> List[CalloutLine]:
        """Further risks, a line each."""
    @property
    def nudge(self) -> Optional[str]:
        """What to do, said once a session."""
    @property
    def stopped(self) -> Optional[Stopped]:
        """Where the session stopped; None unless it starts and was here before."""
    @property
    def happened(self) -> List[Happened]:
        """What happened since, newest first; empty unless the session starts."""
    @property
    def happened_more(self) -> int:
        """How much more happened than is listed."""
    @property
    def conflicts(self) -> List[Tuple[str, str]]:
        """Pairs of shown nodes that contradict each other."""
    @property
    def gaps(self) -> List[Gap]:
        """What it did not get to."""
    @property
    def tokens(self) -> int:
        """The text in tokens, estimated unless the host counts them."""
    @property
    def now(self) -> datetime.datetime:
        """The instant that ages are told from."""
@final
class Stopped:
    """Where a session stopped."""
    @property
    def turn(self) -> int: ...
    @property
    def at(self) -> datetime.datetime:
        """When it was last heard of, or last wrote."""
    @property
    def wrote(self) -> List[Pointer]:
        """What it last wrote to the record, newest first."""
@final
class Happened:
    """Something that happened while a session was away."""
    @property
    def sequence(self) -> int: ...
    @property
    def node(self) -> Pointer: ...
    @property
    def class_(self) -> str:
        """What its category or kind is called."""
    @property
    def what(self) -> str:
        """What happened, in a word or two."""
    @property
    def actor(self) -> str:
        """Who did it."""
@final
class Hit:
    """One hit of a search."""
    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> List[str]: ...
    @property
    def kind(self) -> _Kind: ...
    @property
    def category(self) -> Optional[_Category]: ...
    @property
    def state(self) -> _State: ...
    @property
    def title(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def text_rank(self) -> Optional[int]: ...
    @property
    def semantic_rank(self) -> Optional[int]: ...
    @property
    def snippet(self) -> str: ...
