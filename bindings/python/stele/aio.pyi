"""The same names as coroutines. Written by ``aio_stub.py`` from the stub of the package; do not edit."""
# pyright: reportPrivateUsage=false

import os
from types import TracebackType
from typing import Any, Awaitable, Callable, Coroutine, Dict, Final, Generator, Iterable, List, Literal, Optional, Type, Union

from ._native import (
    Claim,
    Conflict,
    ContainerProgress,
    Context,
    ExportReport,
    Health,
    HistoryItem,
    Hit,
    ImportReport,
    Methodology,
    Moment,
    Neighbour,
    Node,
    Obligations,
    Plan,
    Progress,
    Proposal,
    Provider,
    ProviderEntry,
    Purged,
    RankingTable,
    Recorded,
    Resumed,
    Retirement,
    Retrieval,
    RuleFeedback,
    Sweep,
    Task,
    TaskChange,
    Tool,
    Why,
    _AnchorGiven,
    _Category,
    _Embedder,
    _Item,
    _Kind,
    _Length,
    _Path,
    _Point,
    _Relation,
    _Severity,
    _SourceGiven,
    _SourceText,
    _State,
    _Status,
    _TaskGiven,
    _TaskType,
    _Tier,
    _Time,
    _Verdict,
)

__all__ = ["Record", "Recorder", "Retriever", "Session", "Transaction", "open"]
THREADS: Final[int]

class _Opening:
    """A record that is about to be opened, for ``await`` and for ``async with``."""
    def __init__(self, open: Callable[[], Coroutine[Any, Any, Record]]) -> None: ...
    def __await__(self) -> Generator[Any, None, Record]: ...
    async def __aenter__(self) -> Record: ...
    async def __aexit__(self, *error: Any) -> None: ...
def open(path: _Path='.stele', *, create: bool=True, read_only: bool=False, embedder: Union[_Embedder, Literal[False], None]=None, durability: Literal['full', 'normal']='full', busy_timeout: _Length=5.0, clock: Optional[Callable[[], _Time]]=None) -> _Opening:
    """Opens the record in a folder, and makes it if there is none.

    `embedder` is None for the built-in one, False for none, which is search by words only, or an object with `name`,
    `dimensions`, `embed` from a list of texts to their vectors, and perhaps `weight` and `floor`. `clock` gives the time of
    what is written.
    """
class Record:
    """An open record. Threads may share it; it closes with `close`, at the end of a with-statement, or when nothing holds it."""

    @property
    def path(self) -> os.PathLike[str]:
        """The folder of the record."""

    @property
    def read_only(self) -> bool:
        """True if nothing can be written through this handle."""

    @property
    def head(self) -> Awaitable[int]:
        """The number of operations in the log."""

    @property
    def head_hash(self) -> Awaitable[str]:
        """The hash of the log's chain at its head, in hexadecimal."""

    def recorder(self, *, actor: str, session: Optional[str]=None, may_promote: bool=False) -> Recorder:
        """The writing side, bound to an actor and perhaps a session. `may_promote` gives it the right to promote proposed rules."""

    def retriever(self, *, as_of: Union[int, _Time, None]=None) -> Retriever:
        """The reading side: at the head, or as of a sequence or an instant."""

    async def session(self, name: str, *, mode: Optional[str]='work', token_budget: Optional[int]=None, actor: Optional[str]=None, root: Optional[_Path]=None) -> Session:
        """The moments of an agent session of that name, new or known, by any process.

        A session that is known stays in its mode unless one is given. `actor` says whose it is, so that its start tells what
        that actor holds in any session; `root` is the folder that anchors are relative to, the record's parent otherwise.
        """

    async def assemble(self, prompt: str, *, session: Optional[str], turn: Optional[int]=0, mode: Optional[str]='work', action: Optional[str]=None, point: _Point='prompt', capabilities: Iterable[str]=(), providers: Iterable[Provider]=(), builtin: Union[bool, Iterable[str]]=True, root: Optional[_Path]=None, token_budget: Optional[int]=8000, deadline: Optional[_Length]=8.0, select_skills: Iterable[str]=(), now: Optional[_Time]=None, strict: bool=False, deliver: bool=False, max_entries: Optional[int]=20, max_tokens: Optional[int]=None, hops: Optional[int]=1, skill_folders: Optional[Iterable[str]]=None, base_revision: Optional[str]=None, rule_files: Iterable[str]=(), system: Iterable[Union[str, ProviderEntry]]=(), about: Iterable[str]=()) -> Context:
        """Assembles context for a prompt: obligations, methodology, the window of the record, and what the host's providers give,
        in one text with one report.

        A provider that fails, hangs or raises takes nothing from the others, unless `strict`; nothing takes the obligations
        away. `builtin` is True, False (the obligations stay) or names. `root` is the project's folder.
        """

    async def plan(self, prompt: str, *, session: Optional[str], turn: Optional[int]=0, mode: Optional[str]='work', action: Optional[str]=None, point: _Point='prompt', capabilities: Iterable[str]=(), providers: Iterable[Provider]=(), builtin: Union[bool, Iterable[str]]=True, root: Optional[_Path]=None, token_budget: Optional[int]=8000, deadline: Optional[_Length]=8.0, select_skills: Iterable[str]=(), now: Optional[_Time]=None, strict: bool=False, deliver: bool=False, max_entries: Optional[int]=20, max_tokens: Optional[int]=None, hops: Optional[int]=1, skill_folders: Optional[Iterable[str]]=None, base_revision: Optional[str]=None, rule_files: Iterable[str]=(), system: Iterable[Union[str, ProviderEntry]]=(), about: Iterable[str]=()) -> Plan:
        """Begins an assembly for a host that asks providers itself."""

    async def resume(self, session: str, turn: int, transcript: Iterable[_Item]) -> Resumed:
        """Says how a turn of a session goes on in a transcript after its host was interrupted: nothing is appended twice, and nothing
        is asked again that is there. The transcript's items are pairs of id and text, or mappings of `id`, `text` and `role`.
        """

    async def import_jsonl(self, path_or_lines: Union[_Path, Iterable[Union[str, bytes]]], *, actor: str, partial: bool=False, progress: Optional[Callable[[Progress], Any]]=None, session: Optional[str]=None, allow_secrets: bool=False) -> ImportReport:
        """Imports JSON Lines from a file or from an iterable of lines: all of it or nothing, again and again with the same outcome.

        `progress` is called with a Progress; what it raises ends the import with nothing written, unless that is done already.
        """

    async def import_adr(self, folder: _Path, *, actor: str, partial: bool=False, progress: Optional[Callable[[Progress], Any]]=None, session: Optional[str]=None, allow_secrets: bool=False, prefix: Optional[str]=None) -> ImportReport:
        """Imports a folder of architecture decision records; `prefix` stands before the number in their aliases."""

    async def import_beads(self, path: _Path, *, actor: str, partial: bool=False, progress: Optional[Callable[[Progress], Any]]=None, session: Optional[str]=None, allow_secrets: bool=False) -> ImportReport:
        """Imports an issue file of beads."""

    async def export_jsonl(self, path: _Path, *, log: bool=False) -> ExportReport:
        """Writes the record to a file that appears whole or not at all: what import reads, or with `log` the operations."""

    async def export_graph(self) -> Dict[str, Any]:
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

    async def import_log(self, path: _Path) -> int:
        """Imports a file that `export_jsonl` wrote with `log` into this record, which must be empty; gives the head."""

    async def backup(self, path: _Path) -> None:
        """Writes the record as it stands now into a new or empty folder, while others read and write."""

    async def compact(self) -> bool:
        """Writes the record's file anew without free pages, and ends a purge that others were in the way of; False if they still are."""

    @staticmethod
    async def migrate(path: _Path) -> bool:
        """Brings the record in a folder to this release's format; False if it has that format. Other
        releases cannot open it afterwards.
        """

    async def verify_log(self) -> int:
        """Checks that the log has no gap and that every hash is what it should be; gives the head."""

    async def verify_views(self) -> int:
        """Applies the whole log to empty views and compares them with the record's; gives the head."""

    async def catch_up(self) -> bool:
        """Brings the indexes up to the head now; False if somebody else was at it. Never needed for right answers."""

    async def rebuild_indexes(self, *, reembed: bool=False) -> None:
        """Makes the indexes anew from the record; with `reembed` the embedder is asked again for every text. Answers are right
        before, meanwhile and after.
        """

    async def health(self, *, full: bool=False, files: Optional[Iterable[str]]=None) -> Health:
        """Says what condition the record is in; nothing is changed. `full` reads every byte of the log and of the indexes and
        compares facts by meaning; `files`, the project's files relative to it, shows which anchors lead nowhere.
        """

    async def sweep(self, judge: Optional[Callable[[Retirement], _Verdict]]=None, *, apply: bool=False, actor: Optional[str]=None) -> Sweep:
        """Judges every retirement: with the built-in judge, or with a function from a Retirement to "holds", "fails" or "unsure".

        With `apply`, in the actor's name, those that fail become mere connections and the buried facts are live again. What the
        judge raises is raised, and then nothing is applied.
        """

    def tools(self, *, tier: _Tier='write') -> List[Tool]:
        """The tools for an agent that may go up to a tier: "read", "write" or "destructive"."""

    async def call_tool(self, name: str, arguments: Dict[str, Any], *, actor: str, session: Optional[str]=None, tier: _Tier='write') -> Dict[str, Any]:
        """Calls a tool for an actor with a dictionary of arguments, and gives a dictionary."""

    async def close(self) -> None:
        """Closes the handle: later calls raise ClosedError. Closing twice is no error."""

    async def __aenter__(self) -> Record:
        ...

    async def __aexit__(self, kind: Optional[Type[BaseException]]=None, error: Optional[BaseException]=None, trace: Optional[TracebackType]=None) -> None:
        ...
class Recorder:
    """The writing side of a record, bound to an actor. Every verb is one operation, durable when it returns. Threads may share it."""

    @property
    def actor(self) -> str:
        """Who writes."""

    @property
    def session(self) -> Optional[str]:
        """In which session."""

    async def fact(self, category: _Category, title: str, *, body: str='', alias: Optional[str]=None, tags: Iterable[str]=(), component: Optional[str]=None, anchors: Iterable[_AnchorGiven]=(), source: Optional[_SourceGiven]=None, created_at: Optional[_Time]=None, expires_at: Optional[_Time]=None, resolves_with: Optional[str]=None, review_at: Optional[_Time]=None, allow_secrets: bool=False) -> Recorded:
        """Records a fact of a category."""

    async def task(self, title: str, *, type: _TaskType='task', success_criteria: str='', body: str='', priority: Optional[int]=None, alias: Optional[str]=None, tags: Iterable[str]=(), component: Optional[str]=None, anchors: Iterable[_AnchorGiven]=(), source: Optional[_SourceGiven]=None, created_at: Optional[_Time]=None, expires_at: Optional[_Time]=None, resolves_with: Optional[str]=None, review_at: Optional[_Time]=None, allow_secrets: bool=False) -> Recorded:
        """Records a task, or with another type a container of tasks."""

    async def rule(self, title: str, *, statement: str, trigger: str='', mandatory: bool=False, always_on: bool=False, forbidden: Iterable[str]=(), instead: str='', domain: Optional[str]=None, severity: _Severity='medium', points: Iterable[str]=(), keywords: Iterable[str]=(), floor_modes: Iterable[str]=(), action_triggers: Iterable[str]=(), methodology: Optional[str]=None, body: str='', alias: Optional[str]=None, tags: Iterable[str]=(), component: Optional[str]=None, anchors: Iterable[_AnchorGiven]=(), source: Optional[_SourceGiven]=None, created_at: Optional[_Time]=None, expires_at: Optional[_Time]=None, resolves_with: Optional[str]=None, review_at: Optional[_Time]=None, allow_secrets: bool=False) -> Recorded:
        """Records a rule: what to do, and when it is delivered."""

    async def propose(self, title: str, *, statement: str, trigger: str='', mandatory: bool=False, always_on: bool=False, forbidden: Iterable[str]=(), instead: str='', domain: Optional[str]=None, severity: _Severity='medium', points: Iterable[str]=(), keywords: Iterable[str]=(), floor_modes: Iterable[str]=(), action_triggers: Iterable[str]=(), methodology: Optional[str]=None, body: str='', alias: Optional[str]=None, tags: Iterable[str]=(), component: Optional[str]=None, anchors: Iterable[_AnchorGiven]=(), source: Optional[_SourceGiven]=None, created_at: Optional[_Time]=None, expires_at: Optional[_Time]=None, resolves_with: Optional[str]=None, review_at: Optional[_Time]=None, allow_secrets: bool=False) -> Proposal:
        """Proposes a rule: it is stored as provisional, or refused with every reason."""

    async def feedback(self, rule: str, felt: Literal['helped', 'hurt'], *, key: Optional[str]=None) -> RuleFeedback:
        """Counts that a rule "helped" or "hurt"; the same key counts once for a rule."""

    async def promote(self, rule: str, *, approval: str) -> str:
        """Makes a proposed rule a rule, if this recorder has the right to; gives its id."""

    async def document(self, title: str, *, body: str, alias: Optional[str]=None, tags: Iterable[str]=(), component: Optional[str]=None, anchors: Iterable[_AnchorGiven]=(), source: Optional[_SourceGiven]=None, created_at: Optional[_Time]=None, expires_at: Optional[_Time]=None, resolves_with: Optional[str]=None, review_at: Optional[_Time]=None, allow_secrets: bool=False) -> Recorded:
        """Records a document, found by its passages."""

    async def diagram(self, title: str, *, body: str, alias: Optional[str]=None, tags: Iterable[str]=(), component: Optional[str]=None, anchors: Iterable[_AnchorGiven]=(), source: Optional[_SourceGiven]=None, created_at: Optional[_Time]=None, expires_at: Optional[_Time]=None, resolves_with: Optional[str]=None, review_at: Optional[_Time]=None, allow_secrets: bool=False) -> Recorded:
        """Records a diagram as text."""

    async def component(self, title: str, *, parent: Optional[str]=None, body: str='', alias: Optional[str]=None, tags: Iterable[str]=(), anchors: Iterable[_AnchorGiven]=(), source: Optional[_SourceGiven]=None, created_at: Optional[_Time]=None, expires_at: Optional[_Time]=None, resolves_with: Optional[str]=None, review_at: Optional[_Time]=None, allow_secrets: bool=False) -> Recorded:
        """Records a part of the system, under another one or under none."""

    async def revise(self, id: str, *, title: Optional[str]=None, body: Optional[str]=None, tags: Optional[Iterable[str]]=None, source: Optional[_SourceGiven]=None, expires_at: Optional[_Time]=..., resolves_with: Optional[str]=..., review_at: Optional[_Time]=..., statement: Optional[str]=None, allow_secrets: bool=False) -> Recorded:
        """Changes what a node says; what is left out stays. None clears an end or a review."""

    async def link(self, from_: str, relation: _Relation, to: str, *, reason: str='', evidence: str='', allow_secrets: bool=False) -> None:
        """Joins two nodes: `from_ relation to`."""

    async def unlink(self, from_: str, relation: _Relation, to: str, *, why: str, allow_secrets: bool=False) -> None:
        """Takes an edge away. A retirement is undone by `demote` instead."""

    async def supersede(self, newer: str, older: str, *, reason: str, evidence: str, source_text: Optional[_SourceText]=None, unverified: bool=False, allow_secrets: bool=False) -> None:
        """Retires `older` in favour of `newer`: it was a standing state, and it ended. The evidence is quoted word for word."""

    async def demote(self, newer: str, older: str, *, why: str, allow_secrets: bool=False) -> None:
        """Turns a retirement into `relates-to`."""

    async def retag(self, id: str, *, add: Iterable[str]=(), remove: Iterable[str]=()) -> str:
        """Adds and removes tags; gives the node's id."""

    async def move(self, id: str, *, component: Optional[str]) -> str:
        """Puts a node under a component, or with None under none; gives the node's id."""

    async def anchor(self, id: str, *, add: Iterable[_AnchorGiven]=(), remove: Iterable[str]=()) -> str:
        """Adds anchors and removes all anchors of the paths given; gives the node's id."""

    async def alias(self, id: str, alias: str) -> str:
        """Gives a node one more name from elsewhere; gives its id."""

    async def review(self, id: str, *, note: str='', allow_secrets: bool=False) -> str:
        """Confirms that a node still holds; gives its id."""

    async def archive(self, id: str, *, why: str, allow_secrets: bool=False) -> str:
        """Puts a node away: no longer found, served only when named or as a head; gives its id."""

    async def purge(self, id: str, *, why: str, literals: Iterable[str]=()) -> Purged:
        """Takes a node's text out of the record for good, and every literal given; a tombstone with the id is left."""

    async def claim(self, task: _TaskGiven, *, lease: Optional[_Length]=None, holder: Optional[str]=None) -> Claim:
        """Claims a task, or renews a claim on it. Losing is a result: `granted` is false and the holder is named."""

    async def claim_next(self, *, lease: Optional[_Length]=None, tags: Iterable[str]=(), component: Optional[str]=None) -> Optional[Claim]:
        """Claims the first task that is ready; None if there is none."""

    async def release(self, task: _TaskGiven) -> str:
        """Gives a claimed task back; its holder only. Gives the task's id."""

    async def force_release(self, task: str, *, why: str, allow_secrets: bool=False) -> str:
        """Takes a claimed task from whoever has it; gives its id."""

    async def complete(self, task: _TaskGiven, *, summary: str, allow_secrets: bool=False) -> TaskChange:
        """Ends a task as done; gives the facts that ended with it."""

    async def cancel(self, task: _TaskGiven, *, why: str, allow_secrets: bool=False) -> TaskChange:
        """Ends a task as given up; gives the facts that hang on it, which hold on."""

    async def reopen(self, task: str, *, why: str, allow_secrets: bool=False) -> TaskChange:
        """Opens a completed or cancelled task again; gives the facts that hold again."""

    def transaction(self) -> Transaction:
        """Makes everything that this recorder writes in a with-statement one atomic step: all of it is kept, or with an exception
        nothing, and nobody sees any of it before. The statement gives a recorder, which other threads may use too.
        """

    def __await__(self) -> Generator[Any, None, Recorder]:
        ...
class Transaction:
    """One transaction, for one with-statement."""

    async def __aenter__(self) -> Recorder:
        ...

    async def __aexit__(self, kind: Optional[Type[BaseException]]=None, error: Optional[BaseException]=None, trace: Optional[TracebackType]=None) -> None:
        ...
class Retriever:
    """The reading side of a record: it cannot write, whatever is called on it. Threads may share it."""

    async def retrieve(self, prompt: str, *, session: Optional[str]=None, deadline: Optional[_Length]=8.0, walk_budget: Optional[_Length]=6.0, max_entries: Optional[int]=20, max_tokens: Optional[int]=None, hops: Optional[int]=1, now: Optional[_Time]=None, deliver: bool=False) -> Retrieval:
        """Looks up what the record holds that bears on a prompt, within the time given."""

    async def search(self, query: str, *, mode: Literal['hybrid', 'text', 'semantic']='hybrid', limit: Optional[int]=10, kinds: Optional[Iterable[_Kind]]=None, categories: Optional[Iterable[_Category]]=None, states: Optional[Iterable[_State]]=None, tags: Optional[Iterable[str]]=None, component: Optional[str]=None, since: Optional[_Time]=None, until: Optional[_Time]=None, deadline: Optional[_Length]=None) -> List[Hit]:
        """Finds the nodes that answer a query best. Any text is a query; there is no syntax.

        Where time runs out, it gives what was found by then, and nothing in a list of hits says so: `retrieve` and `recall` do.
        """

    async def recall(self, question: str, *, seeds: Optional[int]=10, depth: Optional[int]=2, max_entries: Optional[int]=30, deadline: Optional[_Length]=8.0, now: Optional[_Time]=None) -> Retrieval:
        """Looks a question up deliberately: more seeds, further hops and more entries than a prompt gets."""

    async def get(self, id: str) -> Node:
        """Gives a node by id or alias, whatever its state."""

    async def neighbours(self, id: str, *, relations: Optional[Iterable[_Relation]]=None, direction: Literal['both', 'out', 'in']='both', limit: Optional[int]=50) -> List[Neighbour]:
        """Gives the neighbours of a node, those that weigh most first."""

    async def history(self, id: str) -> List[HistoryItem]:
        """Gives the operations that concern a node, oldest first."""

    async def why(self, id: str) -> Why:
        """Says where a node comes from and what it replaced, down to the first."""

    async def conflicts(self, ids: Optional[Iterable[str]]=None) -> List[Conflict]:
        """Lists the pairs of live nodes that contradict each other: all, or those of the nodes given."""

    async def ready(self, *, limit: Optional[int]=20, tags: Iterable[str]=(), component: Optional[str]=None) -> List[Task]:
        """Lists the tasks that one could take now, by priority, then oldest first."""

    async def tasks(self, *, holder: Optional[str]=None, status: Optional[_Status]=None) -> List[Task]:
        """Lists tasks, last changed first: of a holder and of a status, where they are given."""

    async def handoff(self, task: str) -> str:
        """Writes a task out for whoever continues it, with its decisions, risks, open questions and history."""

    async def progress(self, container: str) -> ContainerProgress:
        """Says how far a container is, counted in the tasks that it waits for."""

    async def rules(self, *, point: _Point='prompt', mode: Optional[str]='work', text: Optional[str]='', cap: Optional[int]=5000) -> Obligations:
        """Gives the rules that a turn must carry; no mandatory one is ever missing."""

    async def methodology(self, *, mode: str, action: Optional[str]=None, text: Optional[str]='', max_tokens: Optional[int]=2000) -> Methodology:
        """Gives the skills, playbooks, techniques and anti-patterns that a mode, an action or the words of a text call."""

    async def feedback(self, rule: str) -> RuleFeedback:
        """Says what was counted for a rule since its statement became what it is."""

    def __await__(self) -> Generator[Any, None, Retriever]:
        ...
class Session:
    """The moments of one agent session: what the record has to say, and when. Threads may share it, and processes the session."""

    @property
    def name(self) -> str:
        """The name of the session."""

    @property
    def mode(self) -> Awaitable[str]:
        """The mode that the session is in."""

    @property
    def turn(self) -> Awaitable[int]:
        """How many prompts it had, or the turn after the last that the host counted."""

    @property
    def edited(self) -> Awaitable[bool]:
        """True once it was told what is anchored to a file that it was about to change."""

    @property
    def tokens_left(self) -> Awaitable[Optional[int]]:
        """What is left of its tokens for the record; None without a budget."""

    async def on_start(self) -> Moment:
        """Tells a session that starts or goes on what it holds, where it stopped, and what others did since."""

    async def on_prompt(self, prompt: str, *, turn: Optional[int]=None, mode: Optional[str]=None, action: Optional[str]=None, point: _Point='prompt', capabilities: Iterable[str]=(), providers: Iterable[Provider]=(), builtin: Union[bool, Iterable[str]]=True, root: Optional[_Path]=None, token_budget: Optional[int]=8000, deadline: Optional[_Length]=8.0, select_skills: Iterable[str]=(), now: Optional[_Time]=None, strict: bool=False, deliver: bool=True, max_entries: Optional[int]=20, max_tokens: Optional[int]=None, hops: Optional[int]=1, skill_folders: Optional[Iterable[str]]=None, base_revision: Optional[str]=None, rule_files: Iterable[str]=(), system: Iterable[Union[str, ProviderEntry]]=(), about: Iterable[str]=()) -> Context:
        """Answers a prompt: what `Record.assemble` gives, for this session. Counts the turn."""

    async def plan(self, prompt: str, *, turn: Optional[int]=None, mode: Optional[str]=None, action: Optional[str]=None, point: _Point='prompt', capabilities: Iterable[str]=(), providers: Iterable[Provider]=(), builtin: Union[bool, Iterable[str]]=True, root: Optional[_Path]=None, token_budget: Optional[int]=8000, deadline: Optional[_Length]=8.0, select_skills: Iterable[str]=(), now: Optional[_Time]=None, strict: bool=False, deliver: bool=True, max_entries: Optional[int]=20, max_tokens: Optional[int]=None, hops: Optional[int]=1, skill_folders: Optional[Iterable[str]]=None, base_revision: Optional[str]=None, rule_files: Iterable[str]=(), system: Iterable[Union[str, ProviderEntry]]=(), about: Iterable[str]=()) -> Plan:
        """Begins to answer a prompt, for a host that asks providers itself."""

    async def on_edit(self, path: _Path, *, symbol: Optional[str]=None) -> Moment:
        """Tells what is anchored to a path, and to a symbol in it, risks first; before the first edit also a nudge.

        The path is relative to the project's root or to the current folder, or absolute.
        """

    async def on_output(self, text: str) -> Moment:
        """Tells the lessons and risks a literal trigger of which stands in what a tool printed."""

    async def on_complete(self, task: Optional[str]=None) -> Moment:
        """Around completion: the facts that the work may have ended, of a task or else of the tasks that the session holds; the
        first time also a nudge.
        """

    async def delivered(self, what: Union[Context, Moment, Retrieval, Resumed, str]) -> None:
        """Notes that something reached the session's model, so that it does not come again before it changes: a context, a moment,
        a retrieval, a turn taken up again, or the `delivery` of one, which another process may have kept.
        """

    async def compacted(self) -> None:
        """Notes that the model's memory of the session was compacted: what was served may come again."""

    async def new_phase(self) -> None:
        """Begins a phase of the work: what was served may come again."""

    async def set_mode(self, mode: str) -> None:
        """Changes the mode; if it is another one, what was served may come again."""

    async def pause(self, turns: int) -> None:
        """Keeps still for so many prompts: no window, nudge or moment. Obligations still arrive."""

    async def unpause(self) -> None:
        """Ends a pause."""

    async def set_aggressiveness(self, value: Literal['quiet', 'normal']) -> None:
        """Sets how much of the record the session wants: "quiet" or "normal"."""
