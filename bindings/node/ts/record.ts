/** Opening, and the record itself. */

import type { Handle } from '../native'
import { type Abortable, call, checked, sameBridge } from './bridge'
import { Calls } from './calls'
import { type Sent, asOptions, json, sent, unfit } from './names'
import type * as options from './options'
import { type SyncProvider, assemble, assembleSync } from './providers'
import { Recorder } from './recorder'
import type * as results from './results'
import { Retriever } from './retriever'
import { Session } from './session'
import { type Times, present } from './times'
import type { Verdict } from './words'

const FOLDER = '.stele'

/** Opens the record in a folder, and makes it if there is none. */
export async function open(path: string = FOLDER, options: options.OpenOptions = {}): Promise<Record> {
  const { clock, signal } = asOptions(options)
  const text = opening(path, options)
  return new Record(new Calls(await call<Handle>((bridge, number) => bridge.open(number, String(path), text), { signal }), clock))
}

/** As `open`, on this thread: for processes that end soon. */
export function openSync(path: string = FOLDER, options: Omit<options.OpenOptions, 'signal'> = {}): Record {
  const text = opening(path, options)
  return new Record(new Calls(checked(sameBridge().openSync(String(path), text)), asOptions<options.OpenOptions>(options).clock))
}

/** How a record is opened, as it is sent: with the time of a clock, which tells it anew with every call. */
function opening(path: unknown, options: options.OpenOptions): string {
  const { clock, ...others } = asOptions(options)
  const text = sent(others)
  // Where it is given as it should be, the path is none of them.
  if (typeof path !== 'string') text['path'] = unfit
  if (clock !== undefined && clock !== null) text['clock'] = typeof clock === 'function' ? present(clock) : unfit
  return json(text)
}

/** Says whether a retirement was right. */
export type Judge = (retirement: results.Retirement) => Verdict | Promise<Verdict>

/** An open record. It closes with `close`, at the end of an `await using`, or when nothing holds it. */
export class Record {
  readonly #calls: Calls

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls
  }

  #call<T>(verb: string, own: Sent, given?: Abortable, revive?: Times): Promise<T> {
    return this.#calls.call(verb, { ...sent(given), ...own }, given?.signal, revive)
  }

  #import(verb: string, own: Sent, options: options.ImportOptions): Promise<results.ImportReport> {
    const { progress, ...others } = asOptions(options)
    const heard = progress ?? undefined
    // What cannot be called is sent, and refused.
    const all = { ...sent(typeof heard === 'function' ? others : { ...others, progress: heard }), ...own }
    return this.#calls.import(verb, all, heard, others.signal)
  }

  /** The folder of the record. */
  get path(): string {
    return this.#calls.path
  }

  /** True if nothing can be written through this handle. */
  get readOnly(): boolean {
    return this.#calls.readOnly
  }

  /** The number of operations in the log. */
  head(options?: Abortable): Promise<number> {
    return this.#call('head', {}, options)
  }

  /** The hash of the log's chain at its head, in hexadecimal. */
  headHash(options?: Abortable): Promise<string> {
    return this.#call('head_hash', {}, options)
  }

  /** The writing side, bound to an actor and perhaps a session. */
  recorder(options: options.RecorderOptions): Recorder {
    const bound = asOptions(options)
    return new Recorder(this.#calls, bound, sent({ actor: bound.actor, session: bound.session }))
  }

  /** The reading side: at the head, or as of a sequence or an instant. */
  retriever(options: options.RetrieverOptions = {}): Retriever {
    return new Retriever(this.#calls, options)
  }

  /** The moments of an agent session of that name, new or known, by any process. */
  session(name: string, options: options.SessionOptions = {}): Session {
    return new Session(this.#calls, name, options)
  }

  /** Puts context together for a prompt, and asks providers meanwhile. */
  assemble(prompt: string, options: options.AssembleOptions = {}): Promise<results.Context> {
    return assemble(this.#calls, prompt, options)
  }

  /** As `assemble`, on this thread: for processes that end soon. A provider must answer at once. */
  assembleSync(prompt: string, options: Omit<options.AssembleOptions<SyncProvider>, 'signal'> = {}): results.Context {
    return assembleSync(this.#calls, prompt, options)
  }

  /** Says how a turn of a session goes on in a transcript, after its host was interrupted. */
  resume(session: string, turn: number, transcript: readonly options.TranscriptItem[], options?: Abortable): Promise<results.Resumed> {
    return this.#call('resume', { session, turn, transcript }, options)
  }

  /** Says what condition the record is in; nothing is changed. */
  health(options?: options.HealthOptions): Promise<results.Health> {
    return this.#call('health', {}, options)
  }

  /**
   * Judges every retirement: by the built-in judge, or by a function that says whether one holds. With `apply`, in the
   * actor's name, those that fail become mere connections and the buried facts are live again. What the judge throws is
   * thrown, and then nothing is applied.
   */
  async sweep(judge?: Judge | null, options?: options.SweepOptions): Promise<results.Sweep> {
    if (judge === undefined || judge === null) return this.#call('sweep', {}, options)
    if (typeof judge !== 'function') return this.#call('sweep', { judge: unfit }, options)
    const verdicts: { newer: string; older: string; verdict: Verdict }[] = []
    for (const retirement of await this.#call<results.Retirement[]>('retirements', {}, { signal: options?.signal })) {
      options?.signal?.throwIfAborted()
      verdicts.push({ newer: retirement.newer.id, older: retirement.older.id, verdict: await judge(retirement) })
    }
    return this.#call('sweep', { verdicts }, options)
  }

  /** Imports JSON Lines from a file, or from a list of lines: all of it or nothing, again and again with the same outcome. */
  importJsonl(pathOrLines: string | readonly string[], options: options.ImportOptions): Promise<results.ImportReport> {
    return this.#import('import_jsonl', { path_or_lines: pathOrLines }, options)
  }

  /** Imports a folder of architecture decision records. */
  importAdr(folder: string, options: options.ImportAdrOptions): Promise<results.ImportReport> {
    return this.#import('import_adr', { folder }, options)
  }

  /** Imports an issue file of beads. */
  importBeads(path: string, options: options.ImportOptions): Promise<results.ImportReport> {
    return this.#import('import_beads', { path }, options)
  }

  /** Imports a file that `exportJsonl` wrote with `log` into this record, which must be empty; gives the head. */
  importLog(path: string, options?: Abortable): Promise<number> {
    return this.#call('import_log', { path }, options)
  }

  /** Writes the record to a file that appears whole or not at all: what import reads, or with `log` the operations. */
  exportJsonl(path: string, options?: options.ExportOptions): Promise<results.ExportReport> {
    return this.#call('export_jsonl', { path }, options)
  }

  /** The record as one graph. */
  exportGraph(options?: Abortable): Promise<results.Graph> {
    return this.#call('export_graph', {}, options)
  }

  /** Writes the record as it stands now into a new or empty folder, while others read and write. */
  backup(path: string, options?: Abortable): Promise<null> {
    return this.#call('backup', { path }, options)
  }

  /** Writes the record's file anew without free pages, and ends a purge that others were in the way of; false if they still are. */
  compact(options?: Abortable): Promise<boolean> {
    return this.#call('compact', {}, options)
  }

  /** Brings the indexes up to the head now. Never needed for right answers, only for their speed. */
  catchUp(options?: Abortable): Promise<boolean> {
    return this.#call('catch_up', {}, options)
  }

  /** Makes the indexes anew from the record. Answers are right before, meanwhile and after. */
  rebuildIndexes(options?: options.RebuildOptions): Promise<null> {
    return this.#call('rebuild_indexes', {}, options)
  }

  /** Checks that the log has no gap and that every hash is what it should be; gives the head. */
  verifyLog(options?: Abortable): Promise<number> {
    return this.#call('verify_log', {}, options)
  }

  /** Applies the whole log to empty views and compares every row; gives the head. */
  verifyViews(options?: Abortable): Promise<number> {
    return this.#call('verify_views', {}, options)
  }

  /** The ranking table in force. */
  ranking(options?: Abortable): Promise<results.RankingTable> {
    return this.#call('ranking', {}, options)
  }

  /** Puts another ranking table in force for this handle. */
  setRanking(table: results.RankingTable, options?: Abortable): Promise<null> {
    return this.#call('set_ranking', { table }, options)
  }

  /** Every default that a number says, by its name. */
  defaults(options?: Abortable): Promise<{ readonly [name: string]: number }> {
    return this.#call('defaults', {}, options)
  }

  /** The tools for an agent that may go up to a tier. */
  tools(options: options.ToolsOptions = {}): results.Tool[] {
    return this.#calls.callSync('tools', sent(options))
  }

  /** Calls a tool for an actor. Arguments and what it gives have the names of the tool's schema. */
  callTool(name: string, arguments_: { readonly [name: string]: unknown }, options: options.CallToolOptions): Promise<{ readonly [name: string]: unknown }> {
    return this.#call('call_tool', { name, arguments: arguments_ }, options)
  }

  /** Closes the handle when the calls under way are done: later calls reject with the kind `closed`. Closing twice is no error. */
  close(): Promise<void> {
    return this.#calls.close()
  }

  /** Closes the handle now, on this thread; calls under way may reject with the kind `closed`. */
  closeSync(): void {
    this.#calls.closeSync()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  [Symbol.dispose](): void {
    this.closeSync()
  }
}
