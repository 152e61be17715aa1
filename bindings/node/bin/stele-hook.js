#!/usr/bin/env node
// Answers an agent's hook event, or installs the hook: a shell around the addon, which decides everything. Whatever goes
// wrong with an event is one line of standard error; the agent goes on.

'use strict'

const { writeSync } = require('node:fs')

/**
 * Writes all of some bytes, and waits for a pipe that does not wait: this process has nothing else to do. The streams of
 * `process` would take longer to make than that.
 */
function write(descriptor, bytes) {
  let rest = bytes
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

try {
  // The addon itself: the package around it would take longer to load than most answers take, and looking for a file whose
  // place is known takes a third of what loading it takes.
  const addon = { exports: {} }
  process.dlopen(addon, `${__dirname}/../native/stele.${process.platform}-${process.arch}.node`)
  const native = addon.exports
  const world = {
    folder: process.cwd(),
    home: process.env.HOME ?? process.env.USERPROFILE,
    project: process.env.CLAUDE_PROJECT_DIR,
    user: process.geteuid?.(),
    command: [process.execPath, __filename],
  }
  native.hook(process.argv.slice(2), world, (stdout, stderr, code) => {
    if (code !== 0) process.exitCode = code
    write(2, stderr)
    write(1, stdout)
  })
  // All is said. What Node does before it ends, a millisecond or two, is for programs that go on, and for whoever gave it
  // options that have it write something then.
  if (process.execArgv.length === 0 && !process.env.NODE_OPTIONS && !process.env.NODE_V8_COVERAGE) native.end(process.exitCode ?? 0)
  process.exit()
} catch (error) {
  try {
    write(2, Buffer.from(`stele-hook: ${String(error?.message ?? error).split('\n')[0]}\n`))
  } catch {
    // Nobody is there to be told.
  }
}
