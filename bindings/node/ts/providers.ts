/**
 * Providers of a host, driven by a plan: the native side says what to ask, this side asks and hands the answers in. No
 * native thread ever waits for JavaScript.
 */

import { setMaxListeners } from 'node:events'

import type { Plan } from '../native'
import { type Crossed, call, checked, onAbort } from './bridge'
import { type Calls, read } from './calls'
import { SteleError } from './errors'
import { asOptions, entry, json, sent } from './names'
import type { AssembleOptions, EntryGiven, PromptOptions } from './options'
import type { Context, Outcome } from './results'
import * as times from './times'
import type { Point, ProviderCategory, TurnPolicy } from './words'

/** What a provider is asked. */
export interface ProviderRequest {
  readonly prompt: string
  readonly session: string
  readonly turn: number
  readonly mode: string
  readonly action: string | null
  readonly point: Point
  /** How many tokens the entries may take. */
  readonly tokenBudget: number
  /** The instant that ages are told from. */
  readonly now: Date
  /** The time for an answer when it was asked. */
  readonly remainingMs: number
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** What a provider gives: a text, entries, or entries with warnings that a reader must see beside them. */
export type Provided =
  | string
  | readonly EntryGiven[]
  | { readonly entries: readonly EntryGiven[]; readonly warnings?: readonly string[] | undefined }

/** How a provider declares itself. */
export interface ProviderOptions {
  /** `memory` by default. */
  readonly category?: ProviderCategory | undefined
  /** Capabilities without which it is not asked. */
  readonly requires?: readonly string[] | undefined
  /** `first` by default: it is asked in the first turn of a session only. */
  readonly turns?: TurnPolicy | undefined
  /** How long it may take; 2,000 by default. */
  readonly timeoutMs?: number | undefined
  /** How many tokens its entries may take; 2,000 by default. */
  readonly tokenBudget?: number | undefined
  /** Its place among the providers of its category, lowest first; 0 by default. */
  readonly position?: number | undefined
}

/** A source of context. What it throws is kept as the same object in its outcome. */
export interface Provider extends ProviderOptions {
  /** Its name, unique in an assembly. */
  readonly name: string
  fetch(request: ProviderRequest): Provided | Promise<Provided>
}

/** A provider that answers at once, for synchronous assembly. */
export interface SyncProvider extends ProviderOptions {
  readonly name: string
  fetch(request: ProviderRequest): Provided
}

/** A provider from a name, a function and how it declares itself. */
export function provider(name: string, fetch: Provider['fetch'], options: ProviderOptions = {}): Provider {
  return { ...options, name, fetch }
}

/** Who is prompted; nobody for a call of its own. */
export interface Prompted {
  readonly session: string
  readonly actor?: string | undefined
  readonly root?: string | undefined
}

/** Puts context together and asks the providers meanwhile, all at once, each for as long as it may take. */
export async function assemble(calls: Calls, prompt: string, options: AssembleOptions, prompted?: Prompted): Promise<Context> {
  return calls.assembly(async () => {
    const { signal } = asOptions(options)
    const brought = providersOf<Provider>(options)
    const plan = await calls.plan(asking(prompt, options, brought, prompted), signal)
    return assembled(plan, brought, signal)
  })
}

async function assembled(plan: Plan, brought: Brought<Provider>, signal: AbortSignal | undefined): Promise<Context> {
  const thrown = new Map<string, unknown>()
  const stop = new AbortController()
  // Every provider listens.
  setMaxListeners(0, stop.signal)
  const forget = signal && onAbort(signal, () => stop.abort(signal.reason))
  try {
    const asked: Promise<void>[] = []
    // Asked one by one: the time that one takes until it first waits is its own.
    for (const request of requests(plan)) asked.push(ask(plan, find(brought, request), request, stop.signal, thrown))
    await unless(signal, Promise.all(asked))
    return withCauses(read(await call<Crossed>((_, number) => plan.finish(number), { signal }), times.context), thrown)
  } catch (error) {
    throw withCause(error, thrown)
  } finally {
    forget?.()
    stop.abort()
  }
}

/** The same on this thread: a provider that answers with a promise has failed. */
export function assembleSync(calls: Calls, prompt: string, options: AssembleOptions<SyncProvider>, prompted?: Prompted): Context {
  const brought = providersOf<SyncProvider>(options)
  const plan = calls.planSync(asking(prompt, options, brought, prompted))
  const thrown = new Map<string, unknown>()
  for (const request of requests(plan)) {
    try {
      const answer: unknown = find(brought, request).fetch(given(request, new AbortController().signal))
      if (isPromise(answer)) {
        answer.then(undefined, () => {})
        throw new TypeError('the provider answered a synchronous call with a promise')
      }
      supply(plan, request.provider, answer as Provided)
    } catch (error) {
      fail(plan, request.provider, error, thrown)
    }
  }
  try {
    return withCauses(read(checked(plan.finishSync()), times.context), thrown)
  } catch (error) {
    throw withCause(error, thrown)
  }
}

type Request = Omit<ProviderRequest, 'signal'> & { readonly provider: string }

/** The providers of a call, by the names that they had when it began: the host may do with its list what it likes meanwhile. */
type Brought<P> = { readonly declared: unknown; readonly byName: ReadonlyMap<string, P> }

function providersOf<P extends ProviderOptions & { name: string }>(options: AssembleOptions<P>): Brought<P> {
  const { providers } = asOptions(options)
  const byName = new Map<string, P>()
  // What is no list, and who is no provider, is sent as it is, and refused.
  if (!Array.isArray(providers)) return { declared: providers, byName }
  const declared = providers.map((provider: P) => {
    if (typeof provider !== 'object' || provider === null) return provider
    const { name, category, requires, turns, timeoutMs, tokenBudget, position } = provider
    if (!byName.has(name)) byName.set(name, provider)
    return sent({ name, category, requires, turns, timeoutMs, tokenBudget, position })
  })
  return { declared, byName }
}

function asking(prompt: string, options: AssembleOptions<ProviderOptions & { name: string }>, { declared }: Brought<unknown>, prompted: Prompted | undefined): object {
  const { providers: _, ...others } = asOptions(options)
  return { prompt, options: sent(others satisfies PromptOptions<never>), providers: declared, prompted }
}

function* requests(plan: Plan): Generator<Request> {
  for (;;) {
    const next = plan.next()
    if (next === null) return
    yield read<Request>(checked(next), times.request)
  }
}

function find<P>({ byName }: Brought<P>, request: Request): P {
  const found = byName.get(request.provider)
  if (found === undefined) throw new Error(`no provider has the name ${request.provider}`)
  return found
}

function given({ provider: _, ...request }: Request, signal: AbortSignal): ProviderRequest {
  return { ...request, signal }
}

/** Asks one provider, and waits for it until its time is over. Never rejects. */
async function ask(plan: Plan, provider: Provider, request: Request, stop: AbortSignal, thrown: Map<string, unknown>): Promise<void> {
  const controller = new AbortController()
  const abort = (): void => controller.abort(stop.reason)
  stop.addEventListener('abort', abort, { once: true })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      // Nothing is handed in for it, which is how the plan knows that it was late.
      controller.abort(new DOMException(`the provider ${request.provider} took too long`, 'TimeoutError'))
      resolve(undefined)
    }, request.remainingMs)
  })
  try {
    const answer = Promise.resolve(provider.fetch(given(request, controller.signal)))
    const first = await Promise.race([answer.then((value) => ({ value })), late])
    if (first !== undefined) supply(plan, request.provider, first.value)
  } catch (error) {
    fail(plan, request.provider, error, thrown)
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', abort)
    controller.abort()
  }
}

function supply(plan: Plan, name: string, answer: Provided): void {
  const entries = typeof answer === 'string' ? [answer] : Array.isArray(answer) ? answer.map(entry) : withEntries(answer)
  const fault = plan.supply(name, json(entries) ?? 'null')
  if (fault !== null) throw new SteleError(fault)
}

function withEntries(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('entries' in answer) || !Array.isArray(answer.entries)) return answer
  return { ...answer, entries: answer.entries.map(entry) }
}

function fail(plan: Plan, name: string, error: unknown, thrown: Map<string, unknown>): void {
  thrown.set(name, error)
  plan.fail(name, words(error))
}

/** What was thrown, in words: a host may throw anything. */
function words(thrown: unknown): string {
  try {
    const said: unknown = thrown instanceof Error ? thrown.message : thrown
    return String(said)
  } catch {
    return 'it threw something that has no words'
  }
}

/** Puts what providers threw into their outcomes. */
function withCauses(context: Context, thrown: Map<string, unknown>): Context {
  if (thrown.size === 0) return context
  const caused = (outcome: Outcome): Outcome =>
    outcome.result === 'failed' && thrown.has(outcome.provider) ? { ...outcome, cause: thrown.get(outcome.provider) } : outcome
  return { ...context, outcomes: context.outcomes.map(caused) }
}

/** The same for the error of a strict assembly. */
function withCause(error: unknown, thrown: Map<string, unknown>): unknown {
  const name = error instanceof SteleError && error.kind === 'provider' ? error.details['provider'] : undefined
  if (name === undefined || !thrown.has(name)) return error
  return new SteleError(error as SteleError, { cause: thrown.get(name) })
}

/** What a promise comes to, unless a signal aborts before. */
function unless<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const forget = onAbort(signal, () => reject(signal.reason))
    promise.then(resolve, reject).finally(forget)
  })
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
