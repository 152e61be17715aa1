/** Options of verbs. What is left out has the record's default. A length of time is in milliseconds, a time a Date or a text. */

import type { Abortable } from './bridge'
import type { Provider } from './providers'
import type { Progress } from './results'
import type { Clock } from './times'
import type {
  Category,
  Direction,
  Durability,
  Format,
  Kind,
  Known,
  Point,
  Relation,
  RuleSeverity,
  SearchMode,
  State,
  TaskStatus,
  TaskType,
  Tier,
} from './words'

/** A time as it is given: a Date, or a text such as `2026-05-06`. */
export type Time = Date | string

/** How a record is opened. */
export interface OpenOptions extends Abortable {
  /** Makes the record if there is none; true by default. */
  readonly create?: boolean | undefined
  /** Opens for reading only. */
  readonly readOnly?: boolean | undefined
  /**
   * Gives the time of what is called, instead of the system's clock. It is asked once when a call begins, on the event loop,
   * and the call has that time whenever it runs. What it throws is what the call rejects with.
   */
  readonly clock?: Clock | undefined
  /** False for none: search by words only. Left out, or null, for the built-in one. A host's own is not offered here. */
  readonly embedder?: false | null | undefined
  /** What an acknowledged write survives; `full` by default. */
  readonly durability?: Durability | undefined
  /** How long a writer waits for another; 5,000 by default. */
  readonly busyTimeoutMs?: number | undefined
}

/** To whom a recorder belongs. */
export interface RecorderOptions {
  readonly actor: string
  readonly session?: string | null | undefined
  /** Gives the recorder the right to promote proposed rules. */
  readonly mayPromote?: boolean | undefined
}

/** As of when a retriever reads. */
export interface RetrieverOptions {
  /** A sequence, or a time; the head otherwise. */
  readonly asOf?: number | Time | null | undefined
}

/** How a session is taken up. */
export interface SessionOptions {
  /** The mode it is in from now on; one that is known keeps its own, a new one is in `work`. */
  readonly mode?: string | undefined
  /** How many tokens of context it has for the record. */
  readonly tokenBudget?: number | undefined
  /** Whose session it is, so that its start tells what that actor holds in any session. */
  readonly actor?: string | undefined
  /** The folder that anchors are relative to; the record's parent otherwise. */
  readonly root?: string | undefined
}

/** A place in the project: a path, or a path and a symbol in it. */
export type AnchorGiven = string | { readonly path: string; readonly symbol?: string | null | undefined }

/** Where something comes from: a uri, or more. */
export type SourceGiven =
  | string
  | {
      readonly uri?: string | undefined
      readonly revision?: string | null | undefined
      readonly quote?: string | null | undefined
      readonly known?: Known | null | undefined
      readonly appliesTo?: string | null | undefined
    }

/** A task, by id or alias, or as the claim on it was granted. */
export type TaskGiven = string | { readonly task: string; readonly token: number | null }

/** For verbs that take text. */
export interface TextOptions extends Abortable {
  /** Accepts text that looks like a credential. */
  readonly allowSecrets?: boolean | undefined
}

/** What every verb takes that records a node. */
export interface NodeOptions extends TextOptions {
  readonly body?: string | undefined
  readonly alias?: string | null | undefined
  readonly tags?: readonly string[] | undefined
  readonly component?: string | null | undefined
  readonly anchors?: readonly AnchorGiven[] | undefined
  readonly source?: SourceGiven | null | undefined
  readonly createdAt?: Time | null | undefined
  readonly expiresAt?: Time | null | undefined
  /** The task with whose end it ends. */
  readonly resolvesWith?: string | null | undefined
  readonly reviewAt?: Time | null | undefined
}

export type FactOptions = NodeOptions

export interface TaskOptions extends NodeOptions {
  readonly type?: TaskType | undefined
  readonly successCriteria?: string | undefined
  readonly priority?: number | null | undefined
}

export interface RuleOptions extends NodeOptions {
  readonly statement: string
  readonly trigger?: string | undefined
  readonly mandatory?: boolean | undefined
  readonly alwaysOn?: boolean | undefined
  readonly forbidden?: readonly string[] | undefined
  readonly instead?: string | undefined
  readonly domain?: string | null | undefined
  readonly severity?: RuleSeverity | undefined
  readonly points?: readonly string[] | undefined
  readonly keywords?: readonly string[] | undefined
  readonly floorModes?: readonly string[] | undefined
  readonly actionTriggers?: readonly string[] | undefined
  readonly methodology?: string | null | undefined
}

export type ProposeOptions = RuleOptions

export interface DocumentOptions extends NodeOptions {
  readonly body: string
}

export type DiagramOptions = DocumentOptions

export interface ComponentOptions extends Omit<NodeOptions, 'component'> {
  /** The component that it is part of. */
  readonly parent?: string | null | undefined
}

/** What a revision changes; what is left out stays, null clears an end or a review. */
export interface ReviseOptions extends TextOptions {
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly source?: SourceGiven | undefined
  readonly expiresAt?: Time | null | undefined
  readonly resolvesWith?: string | null | undefined
  readonly reviewAt?: Time | null | undefined
  readonly statement?: string | undefined
}

export interface LinkOptions extends TextOptions {
  readonly reason?: string | undefined
  readonly evidence?: string | undefined
}

/** For verbs that need a reason. */
export interface WhyOptions extends TextOptions {
  readonly why: string
}

export type UnlinkOptions = WhyOptions
export type DemoteOptions = WhyOptions
export type ArchiveOptions = WhyOptions
export type ForceReleaseOptions = WhyOptions
export type CancelOptions = WhyOptions
export type ReopenOptions = WhyOptions

export interface SupersedeOptions extends TextOptions {
  /** Which standing state ended. */
  readonly reason: string
  /** The line that shows it, word for word. */
  readonly evidence: string
  /** Where that line stands, if in neither node. */
  readonly sourceText?: string | { readonly text: string; readonly uri?: string | null; readonly revision?: string | null } | null | undefined
  readonly unverified?: boolean | undefined
}

export interface RetagOptions extends Abortable {
  readonly add?: readonly string[] | undefined
  readonly remove?: readonly string[] | undefined
}

export interface MoveOptions extends Abortable {
  /** The component that it belongs to from now on; null for none. */
  readonly component: string | null
}

export interface AnchorOptions extends Abortable {
  readonly add?: readonly AnchorGiven[] | undefined
  /** Paths whose anchors go. */
  readonly remove?: readonly string[] | undefined
}

export interface ReviewOptions extends TextOptions {
  readonly note?: string | undefined
}

export interface PurgeOptions extends Abortable {
  readonly why: string
  /** Texts that go with it wherever they stand. */
  readonly literals?: readonly string[] | undefined
}

export interface ClaimOptions extends Abortable {
  /** How long the claim holds; until it is given back otherwise. */
  readonly leaseMs?: number | null | undefined
  readonly holder?: string | null | undefined
}

export interface ClaimNextOptions extends Abortable {
  readonly leaseMs?: number | null | undefined
  readonly tags?: readonly string[] | undefined
  readonly component?: string | null | undefined
}

export interface CompleteOptions extends TextOptions {
  readonly summary: string
}

export interface FeedbackOptions extends Abortable {
  /** The same key counts once for a rule. */
  readonly key?: string | null | undefined
}

export interface PromoteOptions extends Abortable {
  /** What the host's approver signed; it is stored. */
  readonly approval: string
}

export interface RetrieveOptions extends Abortable {
  readonly session?: string | null | undefined
  readonly deadlineMs?: number | undefined
  readonly walkBudgetMs?: number | undefined
  readonly maxEntries?: number | undefined
  readonly maxTokens?: number | null | undefined
  readonly hops?: number | undefined
  readonly now?: Time | null | undefined
  /** True if it counts as delivered to the session at once. */
  readonly deliver?: boolean | undefined
  /** The form of `text`. */
  readonly format?: Format | undefined
}

export interface SearchOptions extends Abortable {
  readonly mode?: SearchMode | undefined
  readonly limit?: number | undefined
  readonly kinds?: readonly Kind[] | null | undefined
  readonly categories?: readonly Category[] | null | undefined
  readonly states?: readonly State[] | null | undefined
  readonly tags?: readonly string[] | null | undefined
  readonly component?: string | null | undefined
  readonly since?: Time | null | undefined
  readonly until?: Time | null | undefined
  readonly deadlineMs?: number | null | undefined
}

export interface RecallOptions extends Abortable {
  readonly seeds?: number | undefined
  readonly depth?: number | undefined
  readonly maxEntries?: number | undefined
  readonly deadlineMs?: number | undefined
  readonly now?: Time | null | undefined
  readonly format?: Format | undefined
}

export interface NeighboursOptions extends Abortable {
  readonly relations?: readonly Relation[] | null | undefined
  readonly direction?: Direction | undefined
  readonly limit?: number | undefined
}

export interface ReadyOptions extends Abortable {
  readonly limit?: number | undefined
  readonly tags?: readonly string[] | undefined
  readonly component?: string | null | undefined
}

export interface TasksOptions extends Abortable {
  readonly holder?: string | null | undefined
  readonly status?: TaskStatus | null | undefined
}

export interface RulesOptions extends Abortable {
  readonly point?: Point | undefined
  readonly mode?: string | undefined
  readonly text?: string | undefined
  readonly cap?: number | undefined
  readonly format?: Format | undefined
}

export interface MethodologyOptions extends Abortable {
  readonly mode: string
  readonly action?: string | null | undefined
  readonly text?: string | undefined
  readonly maxTokens?: number | undefined
  readonly format?: Format | undefined
}

/** An entry of a provider: a text, or more. */
export type EntryGiven =
  | string
  | {
      readonly text: string
      readonly source?: SourceGiven | null | undefined
      readonly fetchedAt?: Time | null | undefined
      readonly reviewAt?: Time | null | undefined
      readonly appliesTo?: string | null | undefined
    }

/** How context is put together for a prompt of a session. */
export interface PromptOptions<P = Provider> extends Abortable {
  readonly turn?: number | null | undefined
  readonly mode?: string | null | undefined
  readonly action?: string | null | undefined
  readonly point?: Point | undefined
  readonly capabilities?: readonly string[] | undefined
  readonly providers?: readonly P[] | undefined
  /** True for all built-in providers, false for the obligations alone, or their names; `-obligations` turns those off. */
  readonly builtin?: boolean | readonly string[] | undefined
  readonly tokenBudget?: number | undefined
  readonly deadlineMs?: number | undefined
  readonly selectSkills?: readonly string[] | undefined
  readonly now?: Time | null | undefined
  /** Makes any provider's fault an error. */
  readonly strict?: boolean | undefined
  readonly skillFolders?: readonly string[] | undefined
  readonly baseRevision?: string | null | undefined
  /** Files that hold rules beside `AGENTS.md` and `CLAUDE.md`, by their paths from the project's folder. */
  readonly ruleFiles?: readonly string[] | undefined
  /** What the host says of itself: versions, branch, date. */
  readonly system?: readonly EntryGiven[] | undefined
  /** The repository, customer and the like that the prompt is about. */
  readonly about?: readonly string[] | undefined
  readonly maxEntries?: number | undefined
  readonly maxTokens?: number | null | undefined
  readonly hops?: number | undefined
  /** True if it counts as delivered at once, which is the default for a session's prompt. */
  readonly deliver?: boolean | undefined
}

/** The same for a call of its own. */
export interface AssembleOptions<P = Provider> extends PromptOptions<P> {
  readonly session?: string | null | undefined
  /** The project's folder, for skills and repository rules. */
  readonly root?: string | null | undefined
}

export interface HealthOptions extends Abortable {
  /** Reads every byte of the log and of the indexes and compares facts by meaning. */
  readonly full?: boolean | undefined
  /** The project's files relative to it, so that anchors that lead nowhere show. */
  readonly files?: readonly string[] | null | undefined
}

export interface SweepOptions extends Abortable {
  readonly apply?: boolean | undefined
  /** In whose name it is applied. */
  readonly actor?: string | null | undefined
}

export interface ImportOptions extends Abortable {
  /** Stops the import soon, with nothing written unless it has been; the promise rejects with the signal's reason at once. */
  readonly signal?: AbortSignal | undefined
  /** Is told how far it is, about every 1,000 lines or 100 files. What it throws stops the import and is what the promise rejects with. */
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly actor: string
  readonly session?: string | null | undefined
  readonly partial?: boolean | undefined
  readonly allowSecrets?: boolean | undefined
}

export interface ImportAdrOptions extends ImportOptions {
  /** Stands before the number in aliases. */
  readonly prefix?: string | null | undefined
}

export interface ExportOptions extends Abortable {
  /** Writes the operations themselves. */
  readonly log?: boolean | undefined
}

export interface RebuildOptions extends Abortable {
  /** Makes the vectors anew as well. */
  readonly reembed?: boolean | undefined
}

export interface ToolsOptions {
  readonly tier?: Tier | undefined
}

export interface CallToolOptions extends ToolsOptions, Abortable {
  readonly actor: string
  readonly session?: string | null | undefined
}

export interface EditOptions extends Abortable {
  readonly symbol?: string | null | undefined
}

/** An item of a host's transcript. */
export interface TranscriptItem {
  readonly id: string
  readonly role?: string | null | undefined
  readonly text: string
}
