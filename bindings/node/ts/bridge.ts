/**
 * Calls that run on threads of a record. Each has a number, by which the native side settles it here. While one is under
 * way the process stays alive, as it does for a file that is read; nothing else of this package keeps it.
 */

import type { Bridge, Fault, Handle, Plan } from '../native'
import { SteleError } from './errors'
import { native } from './load'

/** How an asynchronous call can be given up. */
export interface Abortable {
  /** Rejects the call with the signal's reason as soon as it aborts. What runs by then ends by itself; a write may have happened. */
  readonly signal?: AbortSignal | undefined
}

type Outcome = Opened | Fault | string

/** What belongs to the native side. */
type Opened = Handle | Plan

interface Pending {
  resolve(outcome: Opened | string): void
  reject(reason: unknown): void
  forget(): void
}

const pending = new Map<number, Pending>()
let calls = 0
let bridge: Bridge | undefined
let alive: NodeJS.Timeout | undefined

/** Longest time that a timer takes. */
const LONG_MS = 0x7fff_ffff

/** Runs a call that `begin` starts under a number, and gives what it came to. */
export function call<T extends Opened | string>(begin: (bridge: Bridge, call: number) => void, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    calls = (calls + 1) >>> 0
    const number = calls
    const abort = (): void => {
      if (settled(number)) reject(signal?.reason)
    }
    pending.set(number, {
      resolve: resolve as (outcome: Opened | string) => void,
      reject,
      forget: () => signal?.removeEventListener('abort', abort),
    })
    stay()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      begin(sameBridge(), number)
    } catch (cause) {
      if (settled(number)) reject(cause)
    }
  })
}

/** Keeps the process alive until nothing is pending. The timer's function stands here so that it holds no call. */
function stay(): void {
  alive ??= setInterval(() => {}, LONG_MS)
  alive.ref()
}

/** What the native side calls with what a call came to. */
function settle(number: number, outcome: Outcome): void {
  const call = settled(number)
  if (call === undefined) return
  if (isFault(outcome)) call.reject(new SteleError(outcome))
  else call.resolve(outcome)
}

/** Takes a call out; nothing if it was given up. */
function settled(number: number): Pending | undefined {
  const call = pending.get(number)
  if (call === undefined) return undefined
  pending.delete(number)
  call.forget()
  if (pending.size === 0) alive?.unref()
  return call
}

function isFault(outcome: Outcome): outcome is Fault {
  return typeof outcome === 'object' && !(outcome instanceof native.Handle) && !(outcome instanceof native.Plan)
}

/** What a synchronous call came to, or its error. */
export function checked<T extends Opened | string>(outcome: T | Fault): T {
  if (isFault(outcome)) throw new SteleError(outcome)
  return outcome
}

/** The way from threads of records to this environment. */
export function sameBridge(): Bridge {
  return (bridge ??= new native.Bridge(settle))
}
