/** Loads the native module of this platform: a file beside the compiled package, in `native/`. */

import { join } from 'node:path'

import type * as Native from '../native'

const file = `stele.${process.platform}-${process.arch}.node`

function load(): typeof Native {
  try {
    return require(join(__dirname, '..', 'native', file)) as typeof Native
  } catch (cause) {
    throw new Error(`load stele: there is no native/${file} in this package that this process can load`, { cause })
  }
}

export const native: typeof Native = load()
