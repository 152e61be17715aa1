#!/usr/bin/env node
// Answers an agent's hook event, or installs the hook: a shell around the addon, which decides everything. Whatever goes
// wrong with an event is one line of standard error; the agent goes on.

'use strict'

const { readSync, writeSync } = require('node:fs')

/** Does it again as long as a pipe that does not wait is empty, or full: this process has nothing else to do. */
function waiting(step) {
  for (;;) {
    try {
      return step()
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** All of standard input. The streams of `process` would take longer to make than reading and writing take. */
function read() {
  const parts = []
  const part = Buffer.allocUnsafe(65_536)
  for (let size; (size = waiting(() => readSync(0, part))) > 0; ) parts.push(Buffer.from(part.subarray(0, size)))
  return Buffer.concat(parts).toString()
}

function write(descriptor, text) {
  let rest = Buffer.from(text)
  while (rest.length > 0) rest = rest.subarray(waiting(() => writeSync(descriptor, rest)))
}

const given = process.argv.slice(2)
try {
  // The addon itself: the package around it would take longer to load than most answers take.
  const native = require(`../native/stele.${process.platform}-${process.arch}.node`)
  const input = native.hookReadsInput(given) ? read() : ''
  const { stdout, stderr, code } = native.hook(given, input, {
    folder: process.cwd(),
    home: process.env.HOME ?? process.env.USERPROFILE,
    project: process.env.CLAUDE_PROJECT_DIR,
    command: [process.execPath, __filename],
  })
  process.exitCode = code
  write(2, stderr)
  write(1, stdout)
} catch (error) {
  write(2, `stele-hook: ${String(error?.message ?? error).split('\n')[0]}\n`)
}
