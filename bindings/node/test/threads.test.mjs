import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

import { open } from '../dist/index.js'
import { door, folder, lines, openFiles, program, record, until } from './support.mjs'

/** Whether something is done, without waiting for it. */
function watched(promise) {
  const watch = { done: false, promise }
  const done = () => (watch.done = true)
  promise.then(done, done)
  return watch
}

test('the event loop turns while calls are under way', async (t) => {
  const opened = await record(t)
  await opened.importJsonl(lines(500), { actor: 'ana' })
  const calls = watched(Promise.all(Array.from({ length: 20 }, () => opened.retriever().search('Which pump of a tank needs how many minutes to warm up?'))))
  let turns = 0
  while (!calls.done) {
    await turn()
    turns += 1
  }
  assert.ok((await calls.promise).every((found) => found.length === 10))
  assert.ok(turns > 20, `the loop turned ${turns} times`)
})

test('files of the host are read while more calls are under way than libuv has threads', async (t) => {
  const source = `
    import { readFile } from 'node:fs/promises'
    import { open } from '@stele/native'
    const record = await open(process.argv[1], { embedder: false, durability: 'normal' })
    const lines = JSON.parse(await readFile(process.argv[2], 'utf8'))
    let done = 0
    const calls = Array.from({ length: 8 }, (_, nth) => record.importJsonl(lines.map((line) => line.replace('F-', 'F' + nth + '-')), { actor: 'ana' }).then(() => (done += 1)))
    await readFile(process.argv[2])
    console.log(done)
    await Promise.all(calls)
    console.log(done)
    await record.close()`
  const place = folder(t)
  writeFileSync(join(place, 'lines.json'), JSON.stringify(lines(400)))
  const ran = await program(source, { args: [join(place, '.stele'), join(place, 'lines.json')], env: { UV_THREADPOOL_SIZE: '1' } })
  assert.deepEqual([ran.code, ran.stderr], [0, ''])
  const [before, after] = ran.stdout.trim().split('\n').map(Number)
  assert.ok(before < 8, `${before} imports were done before a file was read`)
  assert.equal(after, 8)
})

test('writes happen in the order in which they were called', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  const written = await Promise.all(Array.from({ length: 40 }, (_, at) => recorder.fact('fyi', `Fact number ${at}`)))
  assert.deepEqual(
    written.map(({ id }) => id),
    Array.from({ length: 40 }, (_, at) => `KNOW-${at + 1}`),
  )
})

test('a call that is given up rejects at once, and the record goes on', async (t) => {
  const opened = await record(t)
  const controller = new AbortController()
  const call = watched(opened.recorder({ actor: 'ana' }).fact('fyi', 'It is written all the same', { signal: controller.signal }))
  controller.abort()
  await assert.rejects(call.promise, { name: 'AbortError' })
  const own = new Error('enough')
  await assert.rejects(opened.head({ signal: AbortSignal.abort(own) }), (error) => error === own)
  await assert.rejects(open(join(folder(t), '.stele'), { signal: AbortSignal.abort() }), { name: 'AbortError' })
  const unused = new AbortController()
  await opened.retriever().search('pump', { signal: unused.signal })
  unused.abort()
  // What ran by then ends by itself.
  await until(async () => (await opened.head()) === 1)
})

test('a record that nobody holds closes', async (t) => {
  const place = folder(t)
  const source = `
    import { open } from '@stele/native'
    import { openFiles, until } from './test/support.mjs'
    const work = async () => { await (await open(process.argv[1])).recorder({ actor: 'ana' }).fact('fyi', 'A fair') }
    await work()
    console.log(openFiles(process.argv[1]) !== 0)
    await until(() => { globalThis.gc(); return !openFiles(process.argv[1]) })
    console.log('closed')`
  const ran = await program(source, { args: [join(place, '.stele')], flags: ['--expose-gc'] })
  assert.deepEqual([ran.code, ran.stderr, ran.stdout], [0, '', 'true\nclosed\n'])
})

const worker = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { open } = require(${JSON.stringify(join(door, 'dist', 'index.js'))})
  const main = async () => {
    const record = await open(workerData.path, { embedder: false, durability: 'normal' })
    const recorder = record.recorder({ actor: workerData.actor })
    for (let at = 0; at < 10; at += 1) await recorder.fact('fyi', workerData.actor + ' has fact ' + at)
    parentPort.postMessage('done')
    if (workerData.lines) {
      record.importJsonl(workerData.lines, { actor: workerData.actor })
      parentPort.postMessage('importing')
      await new Promise((resolve) => setTimeout(resolve, 1e6))
    }
  }
  main()`

function heard(worker, word) {
  return new Promise((resolve, reject) => {
    worker.on('message', (said) => said === word && resolve())
    worker.on('error', reject)
    worker.on('exit', (code) => code !== 0 && reject(new Error(`exit ${code}`)))
  })
}

test('workers have records of their own in the same folder', async (t) => {
  const path = join(folder(t), '.stele')
  const actors = ['ana', 'bo', 'cy']
  const workers = actors.map((actor) => new Worker(worker, { eval: true, workerData: { path, actor } }))
  await Promise.all(workers.map((worker) => Promise.all([heard(worker, 'done'), new Promise((resolve) => worker.on('exit', resolve))])))
  const opened = await open(path)
  t.after(() => opened.close())
  assert.equal(await opened.head(), 30)
})

test('a worker that ends in the middle of a call leaves nothing open', async (t) => {
  const path = join(folder(t), '.stele')
  const ended = new Worker(worker, { eval: true, workerData: { path, actor: 'ana', lines: lines(2_000) } })
  ended.on('error', () => {})
  await new Promise((resolve) => ended.on('message', (said) => said === 'importing' && resolve()))
  await ended.terminate()
  await until(() => !openFiles(path))
  const opened = await open(path)
  t.after(() => opened.close())
  const head = await opened.head()
  assert.ok(head === 10 || head === 2_010, `an import is all or nothing: ${head}`)
  assert.equal(await opened.verifyLog(), head)
})

test('a program can end in the middle of anything', async (t) => {
  const place = folder(t)
  const begin = `
    import { open, openSync } from '@stele/native'
    import { lines } from './test/support.mjs'
    const record = await open(process.argv[1], { embedder: false, durability: 'normal' })
    const never = { name: 'never', timeoutMs: 10_000, fetch: () => new Promise(() => {}) }
    const prompt = 'Which pump of a tank needs how many minutes to warm up?'
  `
  const ends = {
    'a record that is not closed': `await record.head(); console.log('end')`,
    'process.exit while a record imports': `record.importJsonl(lines(3000), { actor: 'ana' }); console.log('end'); process.exit()`,
    'process.exit while an import is told of': `record.importJsonl(lines(9000), { actor: 'ana', progress: ({ lines }) => lines > 0 && process.exit() }); console.log('end')`,
    'process.exit while nobody hears an import': `record.importJsonl(lines(3000), { actor: 'ana', progress: () => {} }); console.log('end'); process.exit()`,
    'an import that was given up': `const c = new AbortController(); record.importJsonl(lines(9000), { actor: 'ana', signal: c.signal, progress: ({ lines }) => lines > 0 && c.abort() }).catch((e) => console.log(e.name === 'AbortError' ? 'end' : e))`,
    'process.exit while a provider hangs': `record.assemble(prompt, { providers: [never] }); setTimeout(() => { console.log('end'); process.exit() }, 50)`,
    'a provider that hangs for ever': `await record.assemble(prompt, { providers: [{ ...never, timeoutMs: 50 }] }); console.log('end')`,
    'a call that was given up': `const c = new AbortController(); record.assemble(prompt, { providers: [never], signal: c.signal }).catch((e) => console.log(e.name === 'AbortError' ? 'end' : e)); setTimeout(() => c.abort(), 50)`,
    'an error that nobody catches': `record.importJsonl(lines(3000), { actor: 'ana' }); console.log('end'); throw new Error('mine')`,
    'a record opened synchronously': `const other = openSync(process.argv[1]); other.retriever().retrieveSync(prompt); console.log('end')`,
  }
  for (const [what, end] of Object.entries(ends)) {
    const ran = await program(begin + end, { args: [join(place, '.stele')] })
    assert.equal(ran.stdout, 'end\n', `${what}: ${ran.stderr}`)
    assert.equal(ran.signal, null, what)
    if (!what.includes('error')) assert.deepEqual([ran.code, ran.stderr], [0, ''], what)
  }
})

test('a call that is awaited keeps the program until it is settled', async (t) => {
  const source = `
    import { open } from '@stele/native'
    import { lines } from './test/support.mjs'
    const record = await open(process.argv[1], { embedder: false, durability: 'normal' })
    console.log((await record.importJsonl(lines(800), { actor: 'ana' })).nodes)`
  const ran = await program(source, { args: [join(folder(t), '.stele')] })
  assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, '800\n', ''])
})
