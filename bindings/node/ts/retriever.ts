/** The reading side of a record. */

import type { Abortable } from './bridge'
import type { Calls } from './calls'
import { type Sent, sent } from './names'
import type * as options from './options'
import type * as results from './results'
import * as times from './times'

/** The reading side of a record: it cannot write, whatever is called on it. */
export class Retriever {
  readonly #calls: Calls
  readonly #bound: Sent

  /** @internal */
  constructor(calls: Calls, bound: options.RetrieverOptions) {
    this.#calls = calls
    this.#bound = sent(bound)
  }

  #call<T>(verb: string, own: Sent, given?: Abortable, revive?: times.Times): Promise<T> {
    return this.#calls.call(verb, { ...sent(given), ...own, ...this.#bound }, given?.signal, revive)
  }

  /** Looks up what the record holds that bears on a prompt, within the time given. */
  retrieve(prompt: string, options?: options.RetrieveOptions): Promise<results.Retrieval> {
    return this.#call('retrieve', { prompt }, options, times.retrieval)
  }

  /** As `retrieve`, on this thread: for processes that end soon. */
  retrieveSync(prompt: string, options?: Omit<options.RetrieveOptions, 'signal'>): results.Retrieval {
    return this.#calls.callSync('retrieve', { ...sent(options), prompt, ...this.#bound }, times.retrieval)
  }

  /**
   * Finds the nodes that answer a query best. Any text is a query; there is no syntax. Where time runs out, it gives what was
   * found by then, and nothing in a list of hits says so: `retrieve` and `recall` do.
   */
  search(query: string, options?: options.SearchOptions): Promise<results.Hit[]> {
    return this.#call('search', { query }, options)
  }

  /** Looks a question up deliberately: more seeds, further hops and more entries than a prompt gets. */
  recall(question: string, options?: options.RecallOptions): Promise<results.Retrieval> {
    return this.#call('recall', { question }, options, times.retrieval)
  }

  /** Gives a node by id or alias, whatever its state. */
  get(id: string, options?: Abortable): Promise<results.Node> {
    return this.#call('get', { id }, options, times.node)
  }

  /** Gives the neighbours of a node, those that weigh most first. */
  neighbours(id: string, options?: options.NeighboursOptions): Promise<results.Neighbour[]> {
    return this.#call('neighbours', { id }, options, times.each(times.neighbour))
  }

  /** Gives the operations that concern a node, oldest first. */
  history(id: string, options?: Abortable): Promise<results.HistoryItem[]> {
    return this.#call('history', { id }, options, times.each(times.historyItem))
  }

  /** Says where a node comes from and what it replaced, down to the first. */
  why(id: string, options?: Abortable): Promise<results.Why> {
    return this.#call('why', { id }, options, times.why)
  }

  /** Lists the tasks that one could take now, by priority, then oldest first. */
  ready(options?: options.ReadyOptions): Promise<results.Task[]> {
    return this.#call('ready', {}, options, times.each(times.task))
  }

  /** Lists tasks, last changed first: of a holder and of a status, where they are given. */
  tasks(options?: options.TasksOptions): Promise<results.Task[]> {
    return this.#call('tasks', {}, options, times.each(times.task))
  }

  /** Says how far a container of tasks is. */
  progress(container: string, options?: Abortable): Promise<results.ContainerProgress> {
    return this.#call('progress', { container }, options)
  }

  /** Writes a task out for whoever continues it, with its decisions, risks, open questions and history. */
  handoff(task: string, options?: Abortable): Promise<string> {
    return this.#call('handoff', { task }, options)
  }

  /** Lists the pairs of live nodes that contradict each other: all, or those of the nodes given. */
  conflicts(ids?: readonly string[] | null, options?: Abortable): Promise<results.Conflict[]> {
    return this.#call('conflicts', { ids }, options, times.each(times.conflict))
  }

  /** Gives the rules that a turn must carry; no mandatory one is ever missing. */
  rules(options?: options.RulesOptions): Promise<results.Obligations> {
    return this.#call('rules', {}, options)
  }

  /** Gives the skills, playbooks, techniques and anti-patterns that a mode, an action or the words of a text call. */
  methodology(options: options.MethodologyOptions): Promise<results.Methodology> {
    return this.#call('methodology', {}, options)
  }

  /** Says what was counted for a rule since its statement became what it is. */
  feedback(rule: string, options?: Abortable): Promise<results.RuleFeedback> {
    return this.#call('rule_feedback', { rule }, options)
  }
}
