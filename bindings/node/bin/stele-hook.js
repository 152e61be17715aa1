#!/usr/bin/env node
// Answers an agent's hook event, or installs the hook: a shell around the addon, which decides everything. Whatever goes
// wrong with an event is one line of standard error; the agent goes on.

'use strict'

const { readFileSync } = require('node:fs')

const given = process.argv.slice(2)
try {
  const { native } = require('../dist/load.js')
  const input = native.hookReadsInput(given) ? readFileSync(0, 'utf8') : ''
  const { stdout, stderr, code } = native.hook(given, input, {
    folder: process.cwd(),
    home: process.env.HOME ?? process.env.USERPROFILE,
    project: process.env.CLAUDE_PROJECT_DIR,
    command: [process.execPath, __filename],
  })
  process.stderr.write(stderr)
  process.stdout.write(stdout)
  process.exitCode = code
} catch (error) {
  process.stderr.write(`stele-hook: ${String(error?.message ?? error).split('\n')[0]}\n`)
}
