/** Verbs of an open record, called by name. */

import type { Handle, Plan } from '../native'
import { type Crossed, type Following, call, checked } from './bridge'
import { SteleError } from './errors'
import { native } from './load'
import type { Sent } from './names'
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
  #closing: Promise<void> | undefined
  #closed = false

  constructor(handle: Handle, clock?: Clock) {
    this.#handle = handle
    this.#clock = clock
  }

  /** Tells the native side the time of the call that begins now. What the clock throws is what the call comes to. */
  tell(): void {
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
    const text = JSON.stringify(sent)
    return read(await call<Crossed>((_, number) => this.#handle.start(number, verb, text), { signal }), times)
  }

  /** Calls a verb that imports; whoever gives it up stops it. */
  async import<T>(verb: string, sent: Sent, progress?: (progress: Progress) => void, signal?: AbortSignal): Promise<T> {
    this.tell()
    const [text, stop] = [JSON.stringify(sent), new native.Stop()]
    const following: Following = { signal, left: () => stop.stop() }
    if (progress !== undefined) following.hear = (heard) => progress(read<Progress>(heard))
    return read(await call<string>((_, number) => this.#handle.import(number, verb, text, progress !== undefined, stop), following))
  }

  callSync<T>(verb: string, sent: Sent, times?: Times): T {
    this.tell()
    return read(checked(this.#handle.call(verb, JSON.stringify(sent))), times)
  }

  /** Begins an assembly. */
  async plan(asking: object, signal?: AbortSignal): Promise<Plan> {
    this.tell()
    const text = JSON.stringify(asking)
    return call<Plan>((_, number) => this.#handle.plan(number, text), { signal })
  }

  planSync(asking: object): Plan {
    this.tell()
    return checked(this.#handle.planSync(JSON.stringify(asking)))
  }

  /** Closes the record when the calls under way are done. */
  close(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return (this.#closing ??= call<string>((_, number) => this.#handle.close(number)).then(
      () => undefined,
      // It was closed meanwhile.
      (error: unknown) => {
        if (!(error instanceof SteleError && error.kind === 'closed')) throw error
      },
    ))
  }

  closeSync(): void {
    this.#closed = true
    checked(this.#handle.closeSync())
  }
}

/** A result as it is given. */
export function read<T>(crossed: Crossed, times?: Times): T {
  const windowed = typeof crossed === 'object'
  const found = JSON.parse(windowed ? crossed.rest : crossed) as T
  if (times !== undefined && found !== null) times(found as never, windowed ? crossed.window : undefined)
  return found
}
