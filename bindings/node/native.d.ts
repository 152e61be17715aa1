// What the native module exports. Written by `cargo xtask node --types`.

/** The way from threads of ours to one environment. */
export declare class Bridge {
  /**
  * Takes the function that calls are settled with: their number, and what they came to; before that, with
  * what is heard of them. It must not throw.
  */
  constructor(settle: (call: number, outcome: Handle | Plan | Fault | Heard | Windowed | string) => void)
  /** Opens a record on a thread of its own; the call is settled with a handle. The options are JSON. */
  open(call: number, path: string, options: string): void
  /** Opens a record on this thread, for processes that end soon. */
  openSync(path: string, options: string): Handle | Fault
}

/** A code of an error, with its kind. */
export interface CodeOfKind {
  /** The code. */
  code: string
  /** Its kind. */
  kind: string
}

/** An error of the core, field by field. */
export interface Fault {
  /** What the caller should do. */
  kind: string
  /** What happened; stable. */
  code: string
  /** What happened, in words. */
  message: string
  /** True if the same call may succeed later. */
  retryable: boolean
  /** The values that it was about. */
  details: Record<string, string>
}

/** An open record. It belongs to one environment; another opens the folder anew. */
export declare class Handle {
  /** The folder of the record. */
  get path(): string
  /** True if nothing can be written through this handle. */
  get readOnly(): boolean
  /** Tells the time of the calls that follow, in milliseconds since 1970. Only for a record that was opened with a time. */
  tell(unixMs: number): void
  /** Calls a verb on this thread. */
  call(verb: string, arguments: string): string | Windowed | Fault
  /** Calls a verb on a thread of the handle. */
  start(call: number, verb: string, arguments: string): void
  /**
  * Calls a verb that imports, in the order of what writes, until it is stopped. If somebody `hears` it, its progress is
  * told before the call is settled.
  */
  import(call: number, verb: string, arguments: string, hears: boolean, stop: Stop): void
  /** Begins an assembly on a thread of the handle; the call is settled with a plan. What it is for is JSON. */
  plan(call: number, asking: string): void
  /** Begins an assembly on this thread. */
  planSync(asking: string): Plan | Fault
  /** Closes the record when all calls under way are done. No call may follow. */
  close(call: number): void
  /** Closes the record now, on this thread; calls under way end with the error `closed`. */
  closeSync(): string | Fault
}

/** What is heard of an import that goes on. */
export interface Heard {
  /** How far it has come, as JSON. */
  progress: string
}

/** What the program knows of the world around it. */
export interface HookWorld {
  /** The current folder. */
  folder: string
  /** The folder of the user. */
  home?: string
  /** The project's folder where the agent names it and the event does not. */
  project?: string
  /** The user that this process acts for. */
  user?: number
  /** How an agent starts the program: program and first arguments. */
  command: Array<string>
}

/** An assembly under way. */
export declare class Plan {
  /** The next request that has not been given out, as JSON; null once all have. */
  next(): string | Fault | null
  /** Hands in what a provider answered, as JSON. */
  supply(provider: string, entries: string): Fault | null
  /** Says that a provider cannot answer, and why. */
  fail(provider: string, message: string): Fault | null
  /** Puts the context together on a thread of the handle. */
  finish(call: number): void
  /** Puts the context together on this thread. */
  finishSync(): Windowed | Fault
}

/** What stops an import. */
export declare class Stop {
  /** Stops nothing yet. */
  constructor()
  /** Stops the import soon, with nothing written unless it has been. */
  stop(): void
}

/** A result whose window waits. */
export interface Windowed {
  /** All but the window, as JSON. */
  rest: string
  /** What `part` takes; or the parts themselves, as JSON. */
  window: object | string[]
}

/**
 * Ends the process at once with an exit code: nothing is done that Node does before it ends. Where the system has no such
 * way it comes back.
 */
export declare function end(code: number): void

/** Every code of an error, with its kind. */
export declare function errorCodes(): Array<CodeOfKind>

/** Every kind of error. */
export declare function errorKinds(): Array<string>

/**
 * Answers an agent's hook event from standard input, or installs or removes the hook: what the arguments ask for.
 * `tell` is called once with what it writes to standard output and to standard error, and its exit code.
 */
export declare function hook(arguments: Array<string>, world: HookWorld, tell: (stdout: Buffer, stderr: Buffer, code: number) => void): void

/** A part of a window, by its place in the order of text, entries and callouts, as JSON. */
export declare function part(window: object, part: number): string | Fault

/** Estimates how many tokens a text has. */
export declare function tokens(text: string): number

/** The version of the package. */
export declare function version(): string
