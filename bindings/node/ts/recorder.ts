/** The writing side of a record. */

import type { Abortable } from './bridge'
import type { Caller } from './calls'
import { type Sent, sent } from './names'
import type * as options from './options'
import type * as results from './results'
import * as times from './times'
import type { Category, Felt, Relation } from './words'

/** The writing side of a record, bound to an actor. Every verb is one operation, durable when its promise is fulfilled. */
export class Recorder {
  /** Who writes. */
  readonly actor: string
  /** In which session. */
  readonly session: string | null
  readonly #bound: Sent
  readonly #mayPromote: boolean
  readonly #caller: Caller

  /** @internal */
  constructor(caller: Caller, bound: options.RecorderOptions, hand: Sent) {
    this.actor = bound.actor
    this.session = bound.session ?? null
    this.#mayPromote = bound.mayPromote ?? false
    this.#bound = hand
    this.#caller = caller
  }

  #call<T>(verb: string, own: Sent, given?: Abortable, revive?: times.Times): Promise<T> {
    return this.#caller.call(verb, { ...sent(given), ...own, ...this.#bound }, given?.signal, revive)
  }

  /** Records a fact of a category. */
  fact(category: Category, title: string, options?: options.FactOptions): Promise<results.Recorded> {
    return this.#call('fact', { category, title }, options)
  }

  /** Records a task, or with another type a container of tasks. */
  task(title: string, options?: options.TaskOptions): Promise<results.Recorded> {
    return this.#call('task', { title }, options)
  }

  /** Records a rule: what to do, and when it is delivered. */
  rule(title: string, options: options.RuleOptions): Promise<results.Recorded> {
    return this.#call('rule', { title }, options)
  }

  /** Records a document, found by its passages. */
  document(title: string, options: options.DocumentOptions): Promise<results.Recorded> {
    return this.#call('document', { title }, options)
  }

  /** Records a diagram as text. */
  diagram(title: string, options: options.DiagramOptions): Promise<results.Recorded> {
    return this.#call('diagram', { title }, options)
  }

  /** Records a part of the system, under another one or under none. */
  component(title: string, options?: options.ComponentOptions): Promise<results.Recorded> {
    return this.#call('component', { title }, options)
  }

  /** Changes what a node says; what is left out stays. */
  revise(id: string, options: options.ReviseOptions): Promise<results.Recorded> {
    return this.#call('revise', { id }, options)
  }

  /** Joins two nodes: `from relation to`. */
  link(from: string, relation: Relation, to: string, options?: options.LinkOptions): Promise<null> {
    return this.#call('link', { from, relation, to }, options)
  }

  /** Takes an edge away. A retirement is undone by `demote` instead. */
  unlink(from: string, relation: Relation, to: string, options: options.UnlinkOptions): Promise<null> {
    return this.#call('unlink', { from, relation, to }, options)
  }

  /** Retires `older` in favour of `newer`: it was a standing state, and it ended. */
  supersede(newer: string, older: string, options: options.SupersedeOptions): Promise<null> {
    return this.#call('supersede', { newer, older }, options)
  }

  /** Turns a retirement into `relates-to`. */
  demote(newer: string, older: string, options: options.DemoteOptions): Promise<null> {
    return this.#call('demote', { newer, older }, options)
  }

  /** Adds and removes tags; gives the node's id. */
  retag(id: string, options: options.RetagOptions): Promise<string> {
    return this.#call('retag', { id }, options)
  }

  /** Puts a node under a component, or under none; gives the node's id. */
  move(id: string, options: options.MoveOptions): Promise<string> {
    return this.#call('move', { id }, options)
  }

  /** Adds anchors and removes those of the paths given; gives the node's id. */
  anchor(id: string, options: options.AnchorOptions): Promise<string> {
    return this.#call('anchor', { id }, options)
  }

  /** Gives a node another name that it is known by; gives the node's id. */
  alias(id: string, alias: string, options?: Abortable): Promise<string> {
    return this.#call('alias', { id, alias }, options)
  }

  /** Confirms that a node still holds; gives its id. */
  review(id: string, options?: options.ReviewOptions): Promise<string> {
    return this.#call('review', { id }, options)
  }

  /** Puts a node away: no longer found, served only when named or as a head; gives its id. */
  archive(id: string, options: options.ArchiveOptions): Promise<string> {
    return this.#call('archive', { id }, options)
  }

  /** Takes a node's text out of the record for good; a tombstone with the id is left. */
  purge(id: string, options: options.PurgeOptions): Promise<results.Purged> {
    return this.#call('purge', { id }, options)
  }

  /** Claims a task, or renews a claim on it. Losing is a result. */
  claim(task: options.TaskGiven, options?: options.ClaimOptions): Promise<results.Claim> {
    return this.#call('claim', { task }, options, times.claim)
  }

  /** Claims the first task that is ready; null if there is none. */
  claimNext(options?: options.ClaimNextOptions): Promise<results.Claim | null> {
    return this.#call('claim_next', {}, options, times.claim)
  }

  /** Gives a claimed task back; its holder only. Gives the task's id. */
  release(task: options.TaskGiven, options?: Abortable): Promise<string> {
    return this.#call('release', { task }, options)
  }

  /** Takes a claimed task from whoever has it; gives its id. */
  forceRelease(task: string, options: options.ForceReleaseOptions): Promise<string> {
    return this.#call('force_release', { task }, options)
  }

  /** Ends a task as done; gives the facts that ended with it. */
  complete(task: options.TaskGiven, options: options.CompleteOptions): Promise<results.TaskChange> {
    return this.#call('complete', { task }, options)
  }

  /** Ends a task as given up; gives the facts that hang on it, which hold on. */
  cancel(task: options.TaskGiven, options: options.CancelOptions): Promise<results.TaskChange> {
    return this.#call('cancel', { task }, options)
  }

  /** Opens a completed or cancelled task again; gives the facts that hold again. */
  reopen(task: string, options: options.ReopenOptions): Promise<results.TaskChange> {
    return this.#call('reopen', { task }, options)
  }

  /** Proposes a rule: it is stored as provisional, or refused with every reason. */
  propose(title: string, options: options.ProposeOptions): Promise<results.Proposal> {
    return this.#call('propose', { title }, options)
  }

  /** Counts that a rule helped or hurt. */
  feedback(rule: string, felt: Felt, options?: options.FeedbackOptions): Promise<results.RuleFeedback> {
    return this.#call('feedback', { rule, felt }, options)
  }

  /** Makes a proposed rule a rule, if this recorder has the right to; gives its id. */
  promote(rule: string, options: options.PromoteOptions): Promise<string> {
    return this.#call('promote', { rule, may_promote: this.#mayPromote }, options)
  }

  /**
   * All writes of a function are one step: all of them happen, or none. The function calls verbs on the recorder that it
   * is given and returns their promises, which are settled when the step is done; so it waits for none of them. A node
   * that a later write needs is named by its alias. The record is not locked while the function runs.
   */
  async transaction<const T extends readonly unknown[]>(
    write: (recorder: Recorder) => T,
    options?: Abortable,
  ): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
    const gathered = new Gathered()
    const written: unknown = write(new Recorder(gathered, { actor: this.actor, session: this.session, mayPromote: this.#mayPromote }, {}))
    if (!Array.isArray(written)) {
      const error = new TypeError('the function of a transaction returns a list of what it wrote, and is not asynchronous')
      Promise.resolve(written).catch(() => {})
      gathered.reject(error)
      throw error
    }
    try {
      gathered.resolve(await this.#caller.call<unknown[]>('transaction', { calls: gathered.calls, ...this.#bound }, options?.signal))
    } catch (error) {
      gathered.reject(error)
      throw error
    }
    return (await Promise.all(written)) as { -readonly [K in keyof T]: Awaited<T[K]> }
  }
}

/** The calls of a transaction. */
class Gathered implements Caller {
  readonly calls: { verb: string; arguments: Sent }[] = []
  readonly #waiting: { resolve(value: unknown): void; reject(reason: unknown): void; times: times.Times | undefined }[] = []

  call<T>(verb: string, own: Sent, _?: AbortSignal, revive?: times.Times): Promise<T> {
    this.calls.push({ verb, arguments: own })
    const promise = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ resolve: resolve as (value: unknown) => void, reject, times: revive })
    })
    // Whoever waits for it hears of its failure; nobody has to.
    promise.catch(() => {})
    return promise
  }

  resolve(results: unknown[]): void {
    this.#waiting.forEach(({ resolve, times }, at) => {
      const found = named(results[at])
      if (times !== undefined && found !== null) times(found as never)
      resolve(found)
    })
  }

  reject(reason: unknown): void {
    this.#waiting.forEach((waiting) => waiting.reject(reason))
  }
}

/** The results of a transaction come with the names of the verbs' own. What recorders give has no keys of a host in it. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named)
  if (typeof value !== 'object' || value === null) return value
  const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [camel(name), named(field)]))
}
