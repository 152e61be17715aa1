/**
 * Times come as milliseconds since 1970, from transactions as text, and are given as dates. What has times in it is told here,
 * result by result; so is the time of a host.
 */

import { type Window, opened } from './windows'

type Found = Record<string, unknown>
/** Makes dates of the times in a result, and opens its window if it has one, in place. */
export type Times = (found: never, window?: Window) => void

/** Tells the present. */
export type Clock = () => Date

/** What a clock shows, in milliseconds since 1970. */
export function present(clock: Clock): number {
  const told: unknown = clock()
  if (!(told instanceof Date) || Number.isNaN(told.getTime())) throw new TypeError('the clock gave no valid Date')
  return told.getTime()
}

/** Fields that are times. */
function times(...names: string[]): (found: Found) => void {
  return (found) => {
    for (const name of names) {
      const time = found[name]
      if (typeof time === 'number' || typeof time === 'string') found[name] = new Date(time)
    }
  }
}

/** A field that is a result of its own, or a list of such. */
function inside(name: string, each: (found: Found) => void): (found: Found) => void {
  return (found) => {
    const value = found[name]
    if (Array.isArray(value)) value.forEach(each)
    else if (value !== null && value !== undefined) each(value as Found)
  }
}

function all(...parts: ((found: Found) => void)[]): (found: Found) => void {
  return (found) => parts.forEach((part) => part(found))
}

/** The same for a list. */
export function each(one: (found: Found) => void): (found: Found[]) => void {
  return (found) => found.forEach(one)
}

export const claim = times('since', 'until')
export const node = all(times('expiresAt', 'reviewAt', 'createdAt', 'updatedAt', 'verifiedAt'), inside('claim', claim))
export const task = all(times('createdAt', 'updatedAt'), inside('claim', claim))
export const neighbour = times('at')
export const historyItem = times('at')
export const conflict = times('since')
export const why = all(inside('node', node), inside('replaced', times('createdAt')))
export const request = times('now')

export function retrieval(found: Found, window?: Window): void {
  request(found)
  if (window !== undefined) opened(found, window)
}

const stopped = inside('stopped', times('at'))

export function moment(found: Found, window?: Window): void {
  stopped(found)
  retrieval(found, window)
}

export function context(found: { readonly record: Found }, window?: Window): void {
  retrieval(found.record, window)
}
