/** Names of arguments: as JavaScript writes them outside, as the record's verbs know them inside. */

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

/**
 * Options as they are sent. Milliseconds become seconds, and the `Ms` of their names goes. `undefined` is left out; NaN and
 * infinities go as words, which are refused: as JSON they would count as left out.
 */
export function sent(options: object | undefined): Sent {
  const into: Sent = {}
  if (options === undefined) return into
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (name === 'signal' || value === undefined) continue
    if (typeof value === 'number' && !Number.isFinite(value)) into[snake(name.replace(/Ms$/, ''))] = String(value)
    else if (name.endsWith('Ms')) into[snake(name.slice(0, -2))] = typeof value === 'number' ? value / 1000 : value
    else if (name === 'source') into['source'] = source(value)
    else if (name === 'system' && Array.isArray(value)) into['system'] = value.map(entry)
    else into[snake(name)] = value
  }
  return into
}
