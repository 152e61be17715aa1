/** The project record that coding agents embed, for Node. */

import { native } from './load'

export type { Abortable } from './bridge'
export { type ErrorKind, SteleError, errorCodes, errorKinds } from './errors'
export type * from './options'
export { type Provided, type Provider, type ProviderOptions, type ProviderRequest, type SyncProvider, provider } from './providers'
export { type Judge, Record, open, openSync } from './record'
export { Recorder } from './recorder'
export type * from './results'
export { Retriever } from './retriever'
export { Session } from './session'
export type { Clock } from './times'
export type * from './words'

/** The version of this package. */
export const version: string = native.version()

/** Estimates how many tokens a text has. */
export function tokens(text: string): number {
  return native.tokens(text)
}
