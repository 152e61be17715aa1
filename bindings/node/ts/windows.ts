/**
 * Windows of results, which the addon keeps until somebody looks at them: what most programs take is the text, and reading
 * the entries takes longest. A part is read when it is first looked at, and then it is a value like any other. Until then the
 * result differs from a plain object in nothing but the descriptor of the property.
 */

import type { Windowed } from '../native'
import { checked } from './bridge'
import { entry } from './entries'
import { native } from './load'

type Found = Record<PropertyKey, unknown>
/** A window as the addon gives it. */
export type Window = Windowed['window']

/** How each part is made of its JSON, in the order of the addon. */
const PARTS: readonly (readonly [string, (read: never) => unknown])[] = [
  ['text', (text: string) => text],
  ['entries', (rows: unknown[][]) => rows.map(entry)],
  ['callouts', (rows: unknown[][]) => rows.map(entry)],
]

/** Gives a result the parts of its window. */
export function opened(found: Found, window: Window): void {
  for (let nth = 0; nth < PARTS.length; nth += 1) {
    const [name, made] = PARTS[nth]!
    later(found, name, () => made(JSON.parse(Array.isArray(window) ? window[nth]! : checked(native.part(window, nth))) as never))
  }
  // Whoever prints it looks at it. Hidden, so that it is no part of what is compared, copied or sent.
  Object.defineProperty(found, Symbol.for('nodejs.util.inspect.custom'), { value: whole, configurable: true, writable: true })
}

function whole(this: object): object {
  return { ...this }
}

/** A property that is made when it is first looked at. */
function later(found: Found, name: string, make: () => unknown): void {
  let made: { readonly value: unknown } | undefined
  // A frozen result keeps the accessor.
  const keep = (value: unknown): boolean => Reflect.defineProperty(found, name, { value, configurable: true, enumerable: true, writable: true })
  const get = (): unknown => {
    if (made === undefined) {
      made = { value: make() }
      make = never
      keep(made.value)
    }
    return made.value
  }
  const set = (value: unknown): void => {
    if (!keep(value)) throw new TypeError(`Cannot assign to read only property '${name}' of object`)
  }
  Object.defineProperty(found, name, { get, set, configurable: true, enumerable: true })
}

function never(): never {
  throw new Error('a part is read once')
}
