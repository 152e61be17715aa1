/** What verbs give: plain objects, snapshots that outlive the record. A time is a Date; what is not there is null. */

import type {
  AdviceKind,
  Category,
  Channel,
  Detail,
  GapKind,
  ImportPhase,
  Kind,
  Known,
  MomentKind,
  OutcomeKind,
  ProviderCategory,
  RefusalReason,
  Relation,
  ResumeAction,
  Role,
  RuleSeverity,
  Severity,
  State,
  Status,
  TaskStatus,
  TaskType,
  Tier,
  Verdict,
} from './words'

/** A place in the project that a node is about. */
export interface Anchor {
  readonly path: string
  readonly symbol: string | null
}

/** Where something comes from. */
export interface Source {
  readonly uri: string
  readonly revision: string | null
  readonly quote: string | null
  readonly known: Known | null
  readonly appliesTo: string | null
}

/** A node's id with its title. */
export interface Pointer {
  readonly id: string
  readonly title: string
}

/** A node that another replaced or was replaced by, with what the change rests on. */
export interface Replacement {
  readonly id: string
  readonly title: string
  readonly reason: string
  readonly evidence: string | null
  readonly unverified: boolean
}

/** Who works on a task. */
export interface ClaimNote {
  readonly holder: string
  readonly since: Date
  readonly until: Date | null
}

/** A node, whole. What only tasks or only rules have is null on other nodes. */
export interface Node {
  readonly id: string
  readonly aliases: readonly string[]
  readonly kind: Kind
  readonly category: Category | null
  readonly state: State
  readonly status: TaskStatus | null
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly component: string | null
  readonly source: Source | null
  readonly anchors: readonly Anchor[]
  readonly expiresAt: Date | null
  readonly resolvesWith: string | null
  readonly reviewAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly verifiedAt: Date | null
  readonly actor: string
  readonly session: string | null
  readonly revision: number
  readonly claim: ClaimNote | null
  readonly retiredBy: readonly string[]
  readonly type: TaskType | null
  readonly priority: number | null
  readonly successCriteria: string | null
  readonly statement: string | null
  readonly trigger: string | null
  readonly mandatory: boolean | null
  readonly alwaysOn: boolean | null
  readonly forbidden: readonly string[] | null
  readonly instead: string | null
  readonly domain: string | null
  readonly severity: RuleSeverity | null
  readonly points: readonly string[] | null
  readonly keywords: readonly string[] | null
  readonly floorModes: readonly string[] | null
  readonly actionTriggers: readonly string[] | null
  readonly methodology: string | null
  readonly provisional: boolean | null
}

/** A node at the other end of an edge. */
export interface Neighbour {
  readonly id: string
  readonly kind: Kind
  readonly category: Category | null
  readonly state: State
  readonly title: string
  readonly relation: Relation
  readonly outgoing: boolean
  readonly reason: string
  readonly evidence: string | null
  readonly at: Date
  readonly automatic: boolean
}

/** One operation that concerns a node. */
export interface HistoryItem {
  readonly sequence: number
  readonly at: Date
  readonly actor: string
  readonly session: string | null
  readonly action: string
  readonly what: string
  readonly why: string
  readonly title: string | null
  readonly body: string | null
}

/** Where a node comes from and what it stands on. */
export interface Why {
  readonly node: Node
  readonly replaced: readonly Origin[]
  readonly replacedBy: readonly Replacement[]
}

/** One link of a chain of replacements. */
export interface Origin {
  readonly replacement: Replacement
  readonly by: string
  readonly depth: number
  readonly createdAt: Date
  readonly actor: string
  readonly source: Source | null
}

/** Two live nodes that contradict each other. */
export interface Conflict {
  readonly a: Pointer
  readonly b: Pointer
  readonly reason: string
  readonly since: Date
}

/** The parts of a score: category plus relation minus distance. */
export interface Score {
  readonly category: number
  readonly relation: number
  readonly distance: number
}

/** One node in a window. */
export interface Entry {
  readonly id: string
  readonly aliases: readonly string[]
  readonly kind: Kind
  readonly category: Category | null
  readonly container: boolean
  readonly state: State
  readonly status: TaskStatus | null
  readonly title: string
  readonly body: string
  readonly passage: string
  readonly detail: Detail
  readonly cutChars: number
  readonly role: Role
  readonly score: number
  readonly scoreParts: Score
  readonly explain: string
  readonly hops: number
  readonly via: Relation | null
  readonly from: Pointer | null
  readonly seedRank: number | null
  readonly replaces: readonly Replacement[]
  readonly replacedBy: readonly Replacement[]
  readonly reason: string | null
  readonly evidence: string | null
  readonly conflicts: readonly Pointer[]
  readonly folded: readonly string[]
  readonly claim: ClaimNote | null
  readonly tokens: number
  readonly revision: number
  readonly createdAt: Date
  readonly source: Source | null
  readonly reviewAt: Date | null
  readonly verifiedAt: Date | null
  readonly anchors: readonly Anchor[]
}

/** A risk that did not fit in full. */
export interface CalloutLine {
  readonly risk: Pointer
  readonly via: Relation
  readonly from: string
}

/** One thing that a retrieval did not get to. */
export interface Gap {
  readonly kind: GapKind
  readonly count: number
  readonly note: string
}

/** A reference that named a number under another kind. */
export interface Corrected {
  readonly written: string
  readonly id: string
}

/** Counted work of one retrieval. */
export interface Stats {
  readonly head: number
  readonly textSequence: number
  readonly vectorSequence: number
  readonly tail: number
  readonly postings: number
  readonly vectors: number
  readonly nodes: number
  readonly edges: number
  readonly texts: number
  readonly embedded: number
}

/** What can be passed to `session.delivered`. */
export interface Deliverable {
  /** What it showed, in a form of the record's own. */
  readonly delivery: string
}

/** The window of a prompt or a question, in its order, and what it did not get to. */
export interface Retrieval extends Deliverable {
  readonly status: Status
  /** The window as a model reads it, or as JSON if that was asked for. */
  readonly text: string
  readonly entries: readonly Entry[]
  readonly callouts: readonly Entry[]
  readonly calloutLines: readonly CalloutLine[]
  readonly conflicts: readonly (readonly [string, string])[]
  readonly gaps: readonly Gap[]
  readonly corrected: readonly Corrected[]
  readonly stats: Stats
  readonly now: Date
  readonly maxTokens: number | null
  readonly tokens: number
  readonly briefing: boolean
}

/** One hit of a search. */
export interface Hit {
  readonly id: string
  readonly aliases: readonly string[]
  readonly kind: Kind
  readonly category: Category | null
  readonly state: State
  readonly title: string
  readonly score: number
  readonly textRank: number | null
  readonly semanticRank: number | null
  readonly snippet: string
}

/** One piece of advice; never a reason to stop. */
export interface Advice {
  readonly kind: AdviceKind
  readonly message: string
  readonly ids: readonly string[]
}

/** A recorded node and what there is to say about it. */
export interface Recorded {
  readonly id: string
  readonly advice: readonly Advice[]
}

/** How a call for a task ended: granted, or held by somebody else. */
export interface Claim {
  readonly task: string
  readonly granted: boolean
  readonly holder: string
  readonly since: Date
  readonly until: Date | null
  readonly takenFrom: string | null
  readonly token: number | null
}

/** What a change of a task's status did to the facts that hang on it. */
export interface TaskChange {
  readonly task: string
  readonly status: TaskStatus
  readonly resolved: readonly string[]
  readonly hanging: readonly string[]
  readonly revived: readonly string[]
}

/** How far a container is: completed leaves, and leaves that are not cancelled. */
export interface ContainerProgress {
  readonly completed: number
  readonly total: number
}

/** A task as lists of tasks show it. */
export interface Task {
  readonly id: string
  readonly aliases: readonly string[]
  readonly title: string
  readonly type: TaskType
  readonly priority: number
  readonly status: TaskStatus
  readonly state: State
  readonly claim: ClaimNote | null
  readonly blockedBy: readonly string[]
  readonly progress: ContainerProgress | null
  readonly tags: readonly string[]
  readonly component: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A rule as obligations or methodology deliver it. */
export interface RuleEntry {
  readonly id: string
  readonly revision: number
  /** Set for methodology. */
  readonly channel: Channel | null
  readonly matched: number
  readonly title: string
  readonly trigger: string
  readonly statement: string
  readonly mandatory: boolean
  readonly alwaysOn: boolean
  readonly forbidden: readonly string[]
  readonly instead: string
  readonly domain: string | null
  readonly severity: RuleSeverity
  readonly methodology: string | null
  readonly hasBody: boolean
  /** Why it comes as one line. */
  readonly pointed: 'shown' | 'not_here' | null
  readonly text: string
  readonly tokens: number
}

/** The rules that a turn must carry. */
export interface Obligations {
  readonly text: string
  readonly entries: readonly RuleEntry[]
  readonly pointers: readonly RuleEntry[]
  readonly tokens: number
  readonly overBudget: boolean
}

/** What a mode, an action or the words of a text call. */
export interface Methodology {
  readonly text: string
  readonly entries: readonly RuleEntry[]
  readonly left: number
  readonly tokens: number
  readonly overBudget: boolean
}

/** One reason against a proposed rule. */
export interface Refusal {
  readonly reason: RefusalReason
  readonly message: string
  readonly ids: readonly string[]
}

/** What became of a proposed rule: its id, or every reason why it was not stored. */
export interface Proposal {
  readonly accepted: boolean
  readonly id: string | null
  readonly refused: readonly Refusal[]
}

/** What was counted for a rule since its statement became what it is. */
export interface RuleFeedback {
  readonly rule: string
  readonly helped: number
  readonly hurt: number
  readonly lowerBound: number
  readonly ready: boolean
  readonly counted: boolean
}

/** One line that could not be imported. */
export interface ImportFault {
  readonly path: string | null
  readonly line: number
  readonly code: string
  readonly message: string
}

/** Something in the imported source that was passed over on purpose. */
export interface Skipped {
  readonly what: string
  readonly why: string
}

/** How far an import has come. `totalBytes` is null where nobody knows. */
export interface Progress {
  readonly phase: ImportPhase
  readonly lines: number
  readonly bytes: number
  readonly totalBytes: number | null
  readonly faults: number
}

/** What an import did. */
export interface ImportReport {
  readonly applied: boolean
  readonly lines: number
  readonly nodes: number
  readonly revised: number
  readonly edges: number
  readonly unchanged: number
  readonly unverified: number
  readonly weakened: number
  readonly ignoredFields: Readonly<Record<string, number>>
  readonly skipped: readonly Skipped[]
  readonly skippedCount: number
  readonly errors: readonly ImportFault[]
  readonly errorCount: number
}

/** What an export has written. */
export interface ExportReport {
  readonly nodes: number
  readonly edges: number
  readonly operations: number
  readonly bytes: number
}

/** The record as one graph, in the form and with the names that graph libraries read. */
export interface Graph {
  readonly directed: boolean
  readonly multigraph: boolean
  readonly graph: Readonly<Record<string, unknown>>
  readonly nodes: readonly Readonly<Record<string, unknown>>[]
  readonly edges: readonly Readonly<Record<string, unknown>>[]
}

/** One thing that the health check found. */
export interface Finding {
  readonly check: string
  readonly severity: Severity
  readonly ids: readonly string[]
  readonly message: string
  readonly remedy: string
}

/** The condition of a record. */
export interface Health {
  readonly ok: boolean
  readonly findings: readonly Finding[]
}

/** A node as a judge sees it. */
export interface Judged {
  readonly id: string
  readonly title: string
  readonly body: string
}

/** What a judge is asked about. */
export interface Retirement {
  readonly newer: Judged
  readonly older: Judged
  readonly reason: string
  readonly evidence: string | null
  /** Whether the evidence still stands where it was found; null if that cannot be read again. */
  readonly verbatim: boolean | null
}

/** One retirement with what was said of it. */
export interface Judgement {
  readonly newer: string
  readonly older: string
  readonly verdict: Verdict
  readonly why: string
  readonly demoted: boolean
}

/** What a sweep found. */
export interface Sweep {
  readonly judgements: readonly Judgement[]
}

/** What a purge did. `complete` is false while another handle keeps a file that holds the text. */
export interface Purged {
  readonly id: string
  readonly operations: number
  readonly others: readonly string[]
  readonly complete: boolean
}

/** One tool, as a host passes it on to a model. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** A JSON schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly tier: Tier
}

/** Where a session stands. */
export interface SessionState {
  readonly name: string
  readonly mode: string
  readonly turn: number
  readonly tokensLeft: number | null
}

/** Something that happened while a session was away. */
export interface Happened {
  readonly sequence: number
  readonly node: Pointer
  readonly class: string
  readonly what: string
  readonly actor: string
}

/** Where a session stopped. */
export interface Stopped {
  readonly turn: number
  readonly at: Date
  readonly wrote: readonly Pointer[]
}

/** What the record says at a moment of a session; its text is empty if it has nothing new to say. */
export interface Moment extends Deliverable {
  readonly kind: MomentKind
  readonly text: string
  readonly entries: readonly Entry[]
  readonly callouts: readonly Entry[]
  readonly calloutLines: readonly CalloutLine[]
  readonly nudge: string | null
  readonly stopped: Stopped | null
  readonly happened: readonly Happened[]
  readonly happenedMore: number
  readonly conflicts: readonly (readonly [string, string])[]
  readonly gaps: readonly Gap[]
  readonly tokens: number
  readonly now: Date
}

/** A part of a context as a model reads it. */
export interface Section {
  readonly provider: string
  readonly category: ProviderCategory
  readonly text: string
  readonly tokens: number
}

/** How one provider ended. */
export interface Outcome {
  readonly provider: string
  readonly category: ProviderCategory
  readonly result: OutcomeKind
  readonly reason: string
  readonly entries: number
  readonly cut: number
  readonly elsewhere: number
  readonly tokens: number
  readonly ms: number
  /** What a provider of yours threw, as the same object. */
  readonly cause?: unknown
}

/** What a prompt gets: one text, its sections, how each provider ended, and what the sections were made of. */
export interface Context extends Deliverable {
  readonly turn: number
  readonly text: string
  readonly sections: readonly Section[]
  readonly outcomes: readonly Outcome[]
  readonly warnings: readonly string[]
  readonly digest: string
  readonly chars: number
  readonly tokens: number
  readonly itemId: string | null
  readonly obligations: Obligations
  readonly methodology: Methodology
  readonly record: Retrieval
}

/** How a turn goes on that a host takes up again. */
export interface Resumed extends Deliverable {
  readonly action: ResumeAction
  readonly turn: number
  /** The text to append; empty for the other actions. */
  readonly text: string
  readonly itemId: string | null
  /** True if something stands in the transcript, or may, that what is assembled now takes the place of. */
  readonly replaces: boolean
  readonly digest: string
  /** How its providers ended; none if nothing was stored. */
  readonly outcomes: readonly Outcome[]
}

/** The weights of the ranking. */
export interface RankingTable {
  readonly classes: Readonly<Record<string, number>>
  readonly relations: Readonly<Partial<Record<Relation, number>>>
  readonly match: number
  readonly distance: number
}
