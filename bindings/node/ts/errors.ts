/** The one error of this package. Its table is the core's. */

import type { Fault } from '../native'
import { native } from './load'

/** What the caller should do about an error. */
export type ErrorKind =
  | 'invalid'
  | 'not_found'
  | 'conflict'
  | 'busy'
  | 'closed'
  | 'io'
  | 'corrupt'
  | 'incompatible'
  | 'provider'
  | 'internal'

/** What went wrong. `kind` says what to do about it, `code` is stable, the message is for people. */
export class SteleError extends Error {
  override readonly name = 'SteleError'
  /** What the caller should do about it. */
  readonly kind: ErrorKind
  /** What happened, in a word that stays. */
  readonly code: string
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  /** The values that it was about. */
  readonly details: Readonly<Record<string, string>>

  constructor(fault: Readonly<Fault>, options?: ErrorOptions) {
    super(fault.message, options)
    this.kind = fault.kind as ErrorKind
    this.code = fault.code
    this.retryable = fault.retryable
    this.details = Object.freeze({ ...fault.details })
  }
}

/** Every kind of error. */
export const errorKinds: readonly ErrorKind[] = Object.freeze(native.errorKinds() as ErrorKind[])

/** Every code of an error with its kind. */
export function errorCodes(): ReadonlyMap<string, ErrorKind> {
  return new Map(native.errorCodes().map(({ code, kind }) => [code, kind as ErrorKind]))
}
