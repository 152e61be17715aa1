/** Verbs of an open record, called by name. */

import type { Handle, Plan } from '../native'
import { type Crossed, type Following, call, checked } from './bridge'
import { SteleError } from './errors'
import { native } from './load'
import { type Sent, json } from './names'
import type { Progress } from './results'
import { type Clock, type Times, present } from './times'

/** How a verb is called: by a record, or within a transaction. */
export interface Caller {
  call<T>(verb: string, sent: Sent, signal?: AbortSignal, times?: Times): Promise<T>
}

/** An open record's verbs. */
export class Calls implements Caller {
  readonly #handle: Handle
  readonly #clock: Clock | undefined
  readonly #assemblies = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined
  #closed = false

  constructor(handle: Handle, clock?: Clock) {
    this.#handle = handle
    this.#clock = clock
  }

  /** Tells the native side the time of the call that begins now. What the clock throws is what the call comes to. */
  tell(): void {
    if (this.#closing !== undefined) throw closed()
    if (this.#clock !== undefined) this.#handle.tell(present(this.#clock))
  }

  get path(): string {
    return this.#handle.path
  }

  get readOnly(): boolean {
    return this.#handle.readOnly
  }

  async call<T>(verb: string, sent: Sent, signal?: AbortSignal, times?: Times): Promise<T> {
    this.tell()
    const text = json(sent)
    return read(await call<Crossed>((_, number) => this.#handle.start(number, verb, text), { signal }), times)
  }

  /** Calls a verb that imports; whoever gives it up stops it. */
  async import<T>(verb: string, sent: Sent, progress?: (progress: Progress) => void, signal?: AbortSignal): Promise<T> {
    this.tell()
    const [text, stop] = [json(sent), new native.Stop()]
    const following: Following = { signal, left: () => stop.stop() }
    if (progress !== undefined) following.hear = (heard) => progress(read<Progress>(heard))
    return read(await call<string>((_, number) => this.#handle.import(number, verb, text, progress !== undefined, stop), following))
  }

  callSync<T>(verb: string, sent: Sent, times?: Times): T {
    this.tell()
    return read(checked(this.#handle.call(verb, json(sent))), times)
  }

  /** Begins an assembly. */
  async plan(asking: object, signal?: AbortSignal): Promise<Plan> {
    this.tell()
    const text = json(asking)
    return call<Plan>((_, number) => this.#handle.plan(number, text), { signal })
  }

  planSync(asking: object): Plan {
    this.tell()
    return checked(this.#handle.planSync(json(asking)))
  }

  /** Assembles, in steps between which nothing of it is under way on the native side; the record closes after the last. */
  async assembly<T>(work: () => Promise<T>): Promise<T> {
    const done = work()
    this.#assemblies.add(done)
    try {
      return await done
    } finally {
      this.#assemblies.delete(done)
    }
  }

  /** Closes the record when the calls under way are done. */
  close(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#assemblies)
    try {
      await call<string>((_, number) => this.#handle.close(number))
    } catch (error) {
      // It was closed meanwhile.
      if (error instanceof SteleError && error.kind === 'closed') return
      // It is as open as before.
      this.#closing = undefined
      throw error
    }
  }

  closeSync(): void {
    this.#closed = true
    checked(this.#handle.closeSync())
  }
}

/** What a call comes to that begins when the record is closing. */
function closed(): SteleError {
  return new SteleError({ kind: 'closed', code: 'closed', message: "use a record: its handle is closed; open the record again", retryable: false, details: {} })
}

/** A result as it is given. */
export function read<T>(crossed: Crossed, times?: Times): T {
  const windowed = typeof crossed === 'object'
  const found = JSON.parse(windowed ? crossed.rest : crossed) as T
  if (times !== undefined && found !== null) times(found as never, windowed ? crossed.window : undefined)
  return found
}
