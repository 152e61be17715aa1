/**
 * Calls that run on threads of a record. Each has a number, by which the native side settles it here. While one is under
 * way the process stays alive, as it does for a file that is read; nothing else of this package keeps it.
 */

import type { Bridge, Fault, Handle, Heard, Plan, Windowed } from '../native'
import { SteleError } from './errors'
import { native } from './load'

/** How an asynchronous call can be given up. */
export interface Abortable {
  /** Rejects the call with the signal's reason as soon as it aborts. What runs by then ends by itself; a write may have happened. */
  readonly signal?: AbortSignal | undefined
}

/** How a call is followed until it is settled. */
export interface Following extends Abortable {
  /** Hears how far it is, as JSON. What it throws gives the call up. */
  hear?(progress: string): void
  /** Is called when it is given up. */
  left?(): void
}

/** A result as it crosses. */
export type Crossed = string | Windowed

type Outcome = Opened | Fault | Heard | Crossed

/** What belongs to the native side. */
type Opened = Handle | Plan

interface Pending {
  resolve(outcome: Opened | Crossed): void
  hear(progress: string): void
  leave(reason: unknown): void
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
export function call<T extends Opened | Crossed>(begin: (bridge: Bridge, call: number) => void, following: Following = {}): Promise<T> {
  const { signal } = following
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    calls = (calls + 1) >>> 0
    const number = calls
    const leave = (reason: unknown): void => {
      if (settled(number) === undefined) return
      following.left?.()
      reject(reason)
    }
    // Before anything is pending: what is no signal throws here.
    const forget = signal && onAbort(signal, () => leave(signal.reason))
    pending.set(number, {
      resolve: resolve as (outcome: Opened | Crossed) => void,
      hear: (progress) => following.hear?.(progress),
      leave,
      reject,
      forget: () => forget?.(),
    })
    stay()
    try {
      begin(sameBridge(), number)
    } catch (cause) {
      if (settled(number)) reject(cause)
    }
  })
}

/** Who wants to hear of a signal, and what it calls. */
interface Listening {
  readonly all: Set<() => void>
  heard(): void
}

const listening = new WeakMap<AbortSignal, Listening>()

/**
 * Calls a function when a signal aborts, and gives what ends that. However many calls share a signal, it has one listener of
 * ours: of more than ten Node warns.
 */
export function onAbort(signal: AbortSignal, abort: () => void): () => void {
  const known = listening.get(signal)
  const all = known?.all ?? new Set<() => void>()
  const heard = known?.heard ?? (() => [...all].forEach((call) => call()))
  if (known === undefined) {
    signal.addEventListener('abort', heard, { once: true })
    listening.set(signal, { all, heard })
  }
  all.add(abort)
  return () => {
    if (!all.delete(abort) || all.size > 0) return
    signal.removeEventListener('abort', heard)
    listening.delete(signal)
  }
}

/** Keeps the process alive until nothing is pending. The timer's function stands here so that it holds no call. */
function stay(): void {
  alive ??= setInterval(() => {}, LONG_MS)
  alive.ref()
}

/** What the native side calls with what a call came to, or what is heard of it. */
function settle(number: number, outcome: Outcome): void {
  if (isHeard(outcome)) return hear(number, outcome)
  const call = settled(number)
  if (call === undefined) return
  if (isFault(outcome)) call.reject(new SteleError(outcome))
  else call.resolve(outcome)
}

/** What a call's host throws when it hears of it is what the call comes to. */
function hear(number: number, { progress }: Heard): void {
  const call = pending.get(number)
  try {
    call?.hear(progress)
  } catch (error) {
    call?.leave(error)
  }
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

function isHeard(outcome: Outcome): outcome is Heard {
  return typeof outcome === 'object' && 'progress' in outcome
}

function isFault(outcome: Exclude<Outcome, Heard>): outcome is Fault {
  return typeof outcome === 'object' && 'code' in outcome
}

/** What a synchronous call came to, or its error. */
export function checked<T extends Opened | Crossed>(outcome: T | Fault): T {
  if (isFault(outcome)) throw new SteleError(outcome)
  return outcome
}

/** The way from threads of records to this environment. */
export function sameBridge(): Bridge {
  return (bridge ??= new native.Bridge(settle))
}
