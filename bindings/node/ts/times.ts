/**
 * Times come as milliseconds since 1970, from transactions as text, and are given as dates. What has times in it is told here,
 * result by result; so is the time of a host.
 */

import { entry } from './entries'

type Found = Record<string, unknown>
/** Makes dates of the times in a result, in place. */
export type Times = (found: never) => void

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

/** A field that is a list of entries. */
function entries(name: string): (found: Found) => void {
  return (found) => {
    found[name] = (found[name] as unknown[][]).map((row) => {
      const made = entry(row)
      if (made.claim !== null) claim(made.claim as never)
      return made
    })
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
export const retrieval = all(times('now'), entries('entries'), entries('callouts'))
export const moment = all(retrieval, inside('stopped', times('at')))
export const context = inside('record', retrieval)
export const request = times('now')
