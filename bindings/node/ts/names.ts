/** Arguments as they are sent: with the names that the record's verbs know, as JSON that leaves nothing out unsaid. */

/** What is sent for a verb: names as the verbs know them, lengths of time in seconds. */
export type Sent = Record<string, unknown>

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Where a fact comes from, which has names inside. */
function source(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [snake(name), field as unknown]))
}

/** An entry that somebody gives, with the source inside. */
export function entry(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [snake(name), name === 'source' ? source(field) : (field as unknown)]))
}

/** Options as somebody gave them; what are none become an option that no verb has, and so are refused. */
export function asOptions<T extends object>(options: T | null | undefined): T {
  if (options === null || options === undefined) return {} as T
  return typeof options === 'object' ? options : ({ options } as T)
}

/** Options as they are sent. Milliseconds become seconds, and the `Ms` of their names goes. `undefined` is left out. */
export function sent(options: object | null | undefined): Sent {
  const into: Sent = {}
  for (const [name, value] of Object.entries(asOptions(options)) as [string, unknown][]) {
    if (name === 'signal' || value === undefined) continue
    if (name.endsWith('Ms')) into[snake(name.slice(0, -2))] = typeof value === 'number' ? value / 1000 : value
    else if (name === 'source') into['source'] = source(value)
    else if (name === 'system' && Array.isArray(value)) into['system'] = value.map(entry)
    else into[snake(name)] = value
  }
  return into
}

/** Stands for what JSON has no form for. No verb takes it, and whoever refuses it names the place. */
export const unfit: object = Object.freeze({ no_json: true })
/** How deep a value may be nested; no verb takes one as deep. */
const DEPTH = 100

/**
 * A value as JSON. What JSON would leave out or make null of, and so would count as not given (a date that is none, NaN, a
 * function), is refused by the verb, and so is what it has no form for.
 */
export function json(value: unknown): string {
  const around: unknown[] = []
  return JSON.stringify(value, function (this: Record<string, unknown>, name, field: unknown) {
    // What stands for something else is written as it is.
    if (this === unfit) return field
    while (around.length > 0 && around.at(-1) !== this) around.pop()
    const written = hasForm(field, () => this[name]) && !around.includes(field) && around.length < DEPTH ? field : unfit
    if (typeof written === 'object' && written !== null) around.push(written)
    return written
  })
}

/** True for what JSON has a form for, by what it says of itself and what it is: a date that is none says null. */
function hasForm(says: unknown, is: () => unknown): boolean {
  if (says === null || says === undefined) return is() === says
  return typeof says === 'number' ? Number.isFinite(says) : !['bigint', 'function', 'symbol'].includes(typeof says)
}
