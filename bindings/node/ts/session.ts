/** The moments of an agent session. */

import type { Abortable } from './bridge'
import type { Calls } from './calls'
import { type Sent, asOptions, sent } from './names'
import type * as options from './options'
import { type Prompted, type SyncProvider, assemble, assembleSync } from './providers'
import type * as results from './results'
import * as times from './times'
import type { Aggressiveness } from './words'

/** The moments of one agent session: what the record has to say, and when. Known by its name to every process. */
export class Session {
  /** The name of the session. */
  readonly name: string
  readonly #calls: Calls
  readonly #bound: Prompted
  /** What it is to begin with, until that is said. */
  #wishes: Sent | undefined
  #taken: Promise<unknown> | undefined

  /** @internal */
  constructor(calls: Calls, name: string, options: options.SessionOptions) {
    this.name = name
    this.#calls = calls
    const { mode, tokenBudget, ...bound } = asOptions(options)
    this.#bound = { session: name, ...bound }
    if (mode !== undefined || tokenBudget !== undefined) this.#wishes = sent({ name, mode, tokenBudget, ...bound })
  }

  async #call<T>(verb: string, own: Sent, options?: Abortable, revive?: times.Times): Promise<T> {
    const taken = this.#take()
    if (taken !== undefined) await taken
    return this.#calls.call(verb, { ...sent(options), ...own, ...this.#bound }, options?.signal, revive)
  }

  /** Says once, before the first call, what the session is to begin with; nothing to wait for where that is said. */
  #take(): Promise<unknown> | undefined {
    if (this.#wishes === undefined) return this.#taken
    const wishes = this.#wishes
    this.#wishes = undefined
    const taken = this.#calls.call('session', wishes).then(
      () => {
        this.#taken = undefined
      },
      (error: unknown) => {
        this.#taken = undefined
        this.#wishes = wishes
        throw error
      },
    )
    return (this.#taken = taken)
  }

  #takeSync(): void {
    if (this.#wishes === undefined) return
    this.#calls.callSync('session', this.#wishes)
    this.#wishes = undefined
  }

  /** Tells a session that starts or goes on what it holds, where it stopped, and what others did since. */
  onStart(options?: Abortable): Promise<results.Moment> {
    return this.#call('on_start', {}, options, times.moment)
  }

  /** Answers a prompt: obligations, methodology, the window of the record and what providers give. Counts the turn. */
  async onPrompt(prompt: string, options: options.PromptOptions = {}): Promise<results.Context> {
    const taken = this.#take()
    if (taken !== undefined) await taken
    return assemble(this.#calls, prompt, { deliver: true, ...asOptions(options) }, this.#bound)
  }

  /** As `onPrompt`, on this thread: for processes that end soon. A provider must answer at once. */
  onPromptSync(prompt: string, options: Omit<options.PromptOptions<SyncProvider>, 'signal'> = {}): results.Context {
    this.#takeSync()
    return assembleSync(this.#calls, prompt, { deliver: true, ...asOptions(options) }, this.#bound)
  }

  /** Tells what is anchored to a path, and to a symbol in it, risks first; before the first edit also a nudge. */
  onEdit(path: string, options?: options.EditOptions): Promise<results.Moment> {
    return this.#call('on_edit', { path }, options, times.moment)
  }

  /** Tells the lessons and risks a literal trigger of which stands in what a tool printed. */
  onOutput(text: string, options?: Abortable): Promise<results.Moment> {
    return this.#call('on_output', { text }, options, times.moment)
  }

  /** Around completion: the facts that the work may have ended, of a task or else of the tasks that the session holds. */
  onComplete(task?: string | null, options?: Abortable): Promise<results.Moment> {
    return this.#call('on_complete', { task }, options, times.moment)
  }

  /** Notes that something reached the session's model, so that it does not come again before it changes. */
  delivered(what: results.Deliverable, options?: Abortable): Promise<null> {
    return this.#call('delivered', { delivery: asOptions(what).delivery }, options)
  }

  /** Notes that the model's memory of the session was compacted: what was served may come again. */
  compacted(options?: Abortable): Promise<null> {
    return this.#call('compacted', {}, options)
  }

  /** Begins a phase of the work: what was served may come again. */
  newPhase(options?: Abortable): Promise<null> {
    return this.#call('new_phase', {}, options)
  }

  /** Changes the mode; if it is another one, what was served may come again. */
  setMode(mode: string, options?: Abortable): Promise<null> {
    return this.#call('set_mode', { mode }, options)
  }

  /** The mode that the session is in. */
  mode(options?: Abortable): Promise<string> {
    return this.#call('mode', {}, options)
  }

  /** How many prompts it had, or the turn after the last that the host counted. */
  turn(options?: Abortable): Promise<number> {
    return this.#call('turn', {}, options)
  }

  /** What is left of its tokens for the record; null without a budget. */
  tokensLeft(options?: Abortable): Promise<number | null> {
    return this.#call('tokens_left', {}, options)
  }

  /** Keeps still for so many prompts: no window, nudge or moment. Obligations still arrive. */
  pause(turns: number, options?: Abortable): Promise<null> {
    return this.#call('pause', { turns }, options)
  }

  /** Ends a pause. */
  unpause(options?: Abortable): Promise<null> {
    return this.#call('unpause', {}, options)
  }

  /** Sets how much of the record the session wants. */
  setAggressiveness(value: Aggressiveness, options?: Abortable): Promise<null> {
    return this.#call('set_aggressiveness', { value }, options)
  }
}
