import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

import { open } from '../dist/index.js'
import { door, folder, program, record, run } from './support.mjs'

const output = promisify(execFile)
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

test('the packed package installs into an empty project and works', async (t) => {
  const [packed, project] = [folder(t), folder(t)]
  const told = await output(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', packed], { cwd: door, maxBuffer: 1 << 24 })
  const [{ filename, files }] = JSON.parse(told.stdout)
  const paths = files.map((file) => file.path)
  for (const needed of ['dist/index.js', 'dist/index.d.ts', 'native.d.ts', 'bin/stele-hook.js', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', `native/stele.${process.platform}-${process.arch}.node`]) {
    assert.ok(paths.includes(needed), `${needed} is not in the package`)
  }
  assert.deepEqual(paths.filter((path) => /^(test|ts|bench|examples|src|node_modules)\//.test(path) || path.startsWith('dist/test/')), [])
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true }')
  await output(npm, ['install', '--offline', '--no-audit', '--no-fund', '--no-save', join(packed, filename)], { cwd: project })
  assert.deepEqual(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')), ['@stele'])
  const source = `
    import { open, version } from '@stele/native'
    import { createRequire } from 'node:module'
    const record = await open('.stele')
    await record.recorder({ actor: 'ana' }).fact('decision', 'Keep sessions in PostgreSQL')
    console.log((await record.retriever().search('PostgreSQL'))[0].id, createRequire(process.cwd() + '/x.js')('@stele/native').version === version)
    await record.close()`
  const ran = await program(source, { folder: project })
  assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, 'KNOW-1 true\n', ''])
})

test('the lock file names no place that packages come from', () => {
  assert.doesNotMatch(readFileSync(join(door, 'package-lock.json'), 'utf8'), /"resolved"/)
})

/** The samples of the page: what file each is, and its text. */
function samples() {
  const page = readFileSync(join(door, 'README.md'), 'utf8')
  return [...page.matchAll(/<!-- (\S+) -->\n```js\n([^]*?)```/g)].map(([, file, text]) => ({ file, text }))
}

test('every sample of the page is a file that runs', async () => {
  const page = readFileSync(join(door, 'README.md'), 'utf8')
  const found = samples()
  assert.equal(found.length, page.match(/```js\n/g).length, 'a sample without a file')
  assert.deepEqual(
    found.map(({ file }) => file),
    ['examples/quickstart.mjs', 'examples/provider.mjs', 'examples/own-tokens.mjs'],
  )
  const prints = { quickstart: /replaces KNOW-1/, provider: /No open ticket[^]*tickets included/, 'own-tokens': /^(1\d\d|2[0-4]\d) of 250 tokens[^]*KNOW-3/ }
  for (const { file, text } of found) {
    assert.equal(text, readFileSync(join(door, file), 'utf8'), file)
    const ran = await program(`await import(${JSON.stringify(pathToFileURL(join(door, file)).href)})`)
    assert.deepEqual([ran.code, ran.stderr], [0, ''], file)
    assert.match(ran.stdout, prints[basename(file, '.mjs')])
  }
})

test('a model reaches the record through the example of a server', async (t) => {
  const path = join(folder(t), '.stele')
  const transport = new StdioClientTransport({ command: process.execPath, args: [join(door, 'examples', 'mcp-server.mjs'), path, 'write', 'model'], cwd: door })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  const { tools } = await client.listTools()
  assert.ok(tools.length > 10 && tools.every((tool) => tool.description && tool.inputSchema.type === 'object'))
  const opened = await open(path)
  t.after(() => opened.close())
  await opened.recorder({ actor: 'ana' }).fact('risk', 'The pump of the tank overheats')
  const found = await client.callTool({ name: 'search', arguments: { query: 'pump' } })
  assert.match(found.content[0].text, /KNOW-1/)
  const refused = await client.callTool({ name: 'search', arguments: { question: 'pump' } })
  assert.equal(refused.isError, true)
  assert.equal(JSON.parse(refused.content[0].text).kind, 'invalid')
  await client.close()
})

test('the hook answers an event and stands in nobody’s way', async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).rule('Money is integers', { statement: 'Keep amounts in cents, never in floats.', mandatory: true })
  const hook = join(door, 'bin', 'stele-hook.js')
  const event = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: join(opened.path, '..'), prompt: 'How are partial refunds paid out to customers?' }
  const said = await run([hook, '--agent', 'claude-code'], { input: JSON.stringify(event) })
  assert.deepEqual([said.code, said.stderr], [0, ''])
  assert.match(said.stdout, /Keep amounts in cents/)
  const nonsense = await run([hook, '--agent', 'claude-code'], { input: '{' })
  assert.deepEqual([nonsense.code, nonsense.stdout, nonsense.stderr.trim().split('\n').length], [0, '', 1])
})

test('the hook ends at once with its code, and as any program of Node for whoever gave Node options', async (t) => {
  const hook = join(door, 'bin', 'stele-hook.js')
  const leaving = join(folder(t), 'leaving.cjs')
  writeFileSync(leaving, "process.on('exit', (code) => require('node:fs').writeSync(2, `left ${code}`))")
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(leaving)}` }
  for (const [word, code] of [['--help', 0], ['nonsense', 2]]) {
    const [alone, watched, told] = [await run([hook, word]), await run([hook, word], { env }), await run(['--require', leaving, hook, word])]
    assert.deepEqual([alone.code, watched.code, told.code, alone.signal], [code, code, code, null])
    assert.deepEqual([watched.stdout, watched.stderr], [alone.stdout, `${alone.stderr}left ${code}`])
    assert.deepEqual([told.stdout, told.stderr], [alone.stdout, `${alone.stderr}left ${code}`])
    assert.equal(alone.stdout.length > 0, code === 0)
    assert.equal(alone.stderr.length > 0, code !== 0)
  }
})

test('the hook waits for pipes that do not wait', { skip: process.platform === 'win32' && 'there is no sh' }, async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).rule('Money is integers', { statement: 'Keep amounts in cents, never in floats.', mandatory: true })
  // A socket made of a pipe does not wait from then on; the one of the output is full besides.
  const before = join(opened.path, '..', 'before.cjs')
  writeFileSync(
    before,
    `const { Socket } = require('node:net'), { writeSync } = require('node:fs')
    for (const fd of [0, 1]) new Socket({ fd, readable: false, writable: false }).unref()
    try { for (;;) writeSync(1, Buffer.alloc(4096, ' ')) } catch (error) { if (error.code !== 'EAGAIN') throw error }
    writeSync(2, 'full')`,
  )
  // Nobody reads for a while.
  const line = '"$0" --require "$1" "$2" --agent claude-code | { sleep 0.5; cat; }'
  const child = spawn('sh', ['-c', line, process.execPath, before, join(door, 'bin', 'stele-hook.js')], { timeout: 60_000, killSignal: 'SIGKILL' })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => (stdout += text))
  child.stderr.on('data', (text) => (stderr += text))
  await once(child.stderr, 'data')
  await pause(50)
  child.stdin.end(JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: join(opened.path, '..'), prompt: 'How are partial refunds paid out?' }))
  const [code] = await once(child, 'close')
  assert.deepEqual([code, stderr], [0, 'full'])
  assert.match(stdout, /Keep amounts in cents/)
})

test('a hook whose agent neither ends its event nor reads the answer ends by itself', async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).rule('Money is integers', { statement: 'Keep amounts in cents.', mandatory: true })
  const hook = join(door, 'bin', 'stele-hook.js')
  const event = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: join(opened.path, '..'), prompt: 'How are partial refunds paid out?' })
  const start = () => spawn(process.execPath, [hook], { stdio: ['pipe', 'pipe', 'pipe'], timeout: 120_000, killSignal: 'SIGKILL' })
  const ended = async (child) => {
    let stderr = ''
    child.stderr.on('data', (text) => (stderr += text))
    const [code, signal] = await once(child, 'close')
    return [code, signal, stderr.trim().split('\n').length]
  }
  // Whoever would read the answer is gone.
  const unread = start()
  unread.stdout.destroy()
  unread.stdin.end(event)
  assert.deepEqual(await ended(unread), [0, null, 1])
  // The event never ends.
  const unended = start()
  unended.stdin.on('error', () => {})
  unended.stdin.write(event)
  assert.deepEqual(await ended(unended), [0, null, 1])
})
