/** The window of a result stays in the addon until it is looked at. A host must not be able to tell. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'

import { openSync } from '../dist/index.js'
import { door, program, record } from './support.mjs'

const question = 'Which pump of a tank needs how long to warm up?'

/** A record in which something is found, a conflict and a risk on the path among it. */
async function found(t) {
  const opened = await record(t, { clock: () => new Date('2026-05-06T07:08:09Z') })
  const recorder = opened.recorder({ actor: 'ana', session: 's' })
  await recorder.fact('decision', 'The pump of the north tank needs nine minutes to warm up', { body: 'Measured in May. ünï ⚠', anchors: ['src/pump.rs'] })
  await recorder.fact('decision', 'The pump of the north tank needs ninety minutes to warm up', { body: 'Measured in June.' })
  await recorder.link('KNOW-1', 'contradicts', 'KNOW-2', { reason: 'only one can be' })
  await recorder.fact('risk', 'The cellar floods', { body: 'Every spring.' })
  await recorder.link('KNOW-3', 'caused-by', 'KNOW-1', { reason: 'it is the pump' })
  const { id } = await recorder.task('Paint the door')
  await recorder.claim(id, { leaseMs: 60_000 })
  return opened
}

/** A session that was told nothing yet. */
const fresh = (opened) => opened.session(`session ${(sessions += 1)}`)
let sessions = 0

/** Every call that gives a window, each with where it stands in the result. */
const windowed = {
  retrieve: [(opened) => opened.retriever().retrieve(question)],
  retrieveSync: [(opened) => opened.retriever().retrieveSync(question)],
  'retrieve as JSON': [(opened) => opened.retriever().retrieve(question, { format: 'json' })],
  recall: [(opened) => opened.retriever().recall(question)],
  onEdit: [(opened) => fresh(opened).onEdit('src/pump.rs')],
  assemble: [(opened) => opened.assemble(question), ({ record }) => record],
  onPromptSync: [(opened) => fresh(opened).onPromptSync(question), ({ record }) => record],
}

for (const [name, [ask, window = (result) => result]] of Object.entries(windowed)) {
  test(`what ${name} gives is a plain object, whatever is done with it first`, async (t) => {
    const opened = await found(t)
    /** All that is in it, read one by one. */
    const all = (of) => Object.fromEntries(Object.keys(of).map((key) => [key, of[key]]))
    const once = await ask(opened)
    assert.ok(window(once).entries.length > 0 && window(once).text.length > 0)
    // What counts work and time is not the same twice.
    const same = (result) => {
      const plain = { ...result, stats: null, outcomes: null }
      return 'record' in plain ? { ...plain, record: { ...plain.record, stats: null } } : plain
    }
    const wanted = same({ ...once, ...('record' in once ? { record: all(once.record) } : {}) })
    const looks = {
      'one by one': (result) => ({ ...all(result), ...('record' in result ? { record: all(result.record) } : {}) }),
      'a copy': (result) => structuredClone(result),
      spread: (result) => ({ ...result }),
      assigned: (result) => Object.assign({}, result),
      frozen: (result) => (Object.freeze(window(result)), Object.freeze(result)),
      printed: (result) => (inspect(result), result),
      itself: (result) => result,
    }
    for (const [how, look] of Object.entries(looks)) {
      const result = await ask(opened)
      const keys = Object.keys(window(result))
      assert.deepEqual(keys, Object.keys(window(once)), how)
      assert.equal(Object.getPrototypeOf(window(result)), Object.prototype)
      assert.deepEqual(same(look(result)), wanted, how)
      assert.deepEqual(wanted, same(look(await ask(opened))), how)
    }
    const text = JSON.parse(JSON.stringify(same(await ask(opened))))
    assert.deepEqual(text, JSON.parse(JSON.stringify(wanted)))
    assert.deepEqual(Object.keys(text), Object.keys(wanted))
  })
}

test('a result that nobody looked at equals what it holds, both ways', async (t) => {
  const opened = await found(t)
  // The first of all reads more than those that follow.
  opened.retriever().retrieveSync(question)
  const ask = () => opened.retriever().retrieveSync(question)
  const plain = JSON.parse(JSON.stringify(ask()))
  const dated = { ...ask() }
  assert.deepEqual(Object.keys(plain), Object.keys(dated))
  assert.deepEqual(ask(), dated)
  assert.deepEqual(dated, ask())
  assert.deepEqual(ask(), ask())
  assert.notDeepEqual(ask(), { ...dated, text: '' })
  assert.notDeepEqual(ask(), { ...dated, entries: [] })
})

test('a part is read once, and then is a value like any other', async (t) => {
  const opened = await found(t)
  const result = opened.retriever().retrieveSync(question)
  const { entries } = result
  assert.equal(result.entries, entries)
  for (const part of ['text', 'entries', 'callouts']) {
    assert.equal(result[part], result[part])
    const { value, enumerable, configurable, writable } = Object.getOwnPropertyDescriptor(result, part)
    assert.deepEqual([value, enumerable, configurable, writable], [result[part], true, true, true])
  }
  assert.ok(entries[0].createdAt instanceof Date)
  const [task] = opened.retriever().retrieveSync('What about TASK-4?').entries
  assert.ok(task.claim.since instanceof Date && task.claim.until - task.claim.since === 60_000)
})

test('a result can be written over before it is looked at, unless it is frozen', async (t) => {
  const opened = await found(t)
  const result = opened.retriever().retrieveSync(question)
  result.text = 'mine'
  assert.equal(result.text, 'mine')
  assert.equal(Object.getOwnPropertyDescriptor(result, 'text').value, 'mine')
  const frozen = Object.freeze(opened.retriever().retrieveSync(question))
  assert.throws(() => (frozen.text = 'mine'), TypeError)
  assert.match(frozen.text, /KNOW-1/)
  assert.equal(frozen.entries, frozen.entries)
  assert.throws(() => (frozen.entries = []), TypeError)
  const heir = Object.create(opened.retriever().retrieveSync(question))
  assert.match(heir.text, /KNOW-1/)
  assert.equal(Object.hasOwn(heir, 'text'), false)
})

test('what is printed shows all that is in a result', async (t) => {
  const opened = await found(t)
  for (const prepared of [(result) => result, (result) => Object.freeze(result), (result) => ({ result })]) {
    const printed = inspect(prepared(opened.retriever().retrieveSync(question)), { depth: 4 })
    assert.match(printed, /text: '/)
    assert.match(printed, /entries: \[/)
    assert.match(printed, /id: 'KNOW-1'/)
    assert.doesNotMatch(printed, /Getter|Symbol|inspect/)
  }
  const printed = inspect(await opened.assemble(question), { depth: 4 })
  assert.match(printed, /id: 'KNOW-1'/)
})

test('a result outlives its record, looked at or not', async (t) => {
  const opened = await found(t)
  const results = await Promise.all(Object.values(windowed).map(([ask]) => ask(opened)))
  opened.closeSync()
  for (const [at, [, window = (result) => result]] of Object.values(windowed).entries()) {
    assert.equal(window(results[at]).entries[0].kind, 'knowledge')
    assert.match(window(results[at]).text, /KNOW-1/)
  }
})

test('a worker sends what it found, and may end before it was looked at', async (t) => {
  const opened = await found(t)
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { openSync } = require('@stele/native')
    const retriever = openSync(workerData.path, { embedder: false, clock: () => new Date('2026-05-06T07:08:09Z') }).retriever()
    globalThis.kept = Array.from({ length: 5 }, () => retriever.retrieveSync(workerData.question))
    parentPort.postMessage(retriever.retrieveSync(workerData.question))`
  const worker = new Worker(source, { eval: true, workerData: { path: opened.path, question } })
  const result = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  const here = opened.retriever().retrieveSync(question)
  assert.deepEqual([result.text, result.entries, result.callouts], [here.text, here.entries, here.callouts])
  await worker.terminate()
  assert.equal(here.entries.length, result.entries.length)
})

const things = ['amber', 'birch', 'copper', 'denim', 'ebony', 'flint', 'gravel', 'hemp', 'ivory', 'jade', 'linen', 'marble']

/** Asks again and again and looks at nothing; prints how much more memory the process has at the end than after a tenth. */
const asking = (ask, times) => `
  import { openSync } from '@stele/native'
  const record = openSync(process.argv[1], { embedder: false, durability: 'normal' })
  const recorder = record.recorder({ actor: 'ana' })
  const anchors = Array.from({ length: 100 }, (_, at) => 'src/' + 'a'.repeat(200) + at)
  const things = ${JSON.stringify(things)}
  await recorder.transaction((write) => things.map((thing) => write.fact('decision', 'Where we buy ' + thing, { anchors })))
  const retriever = record.retriever()
  const last = []
  let after
  for (let at = 0; at < ${times}; at += 1) {
    const found = ${ask}
    last[at % 3] = found
    if (at === ${times} / 10) after = process.memoryUsage.rss()
  }
  const grown = process.memoryUsage.rss() - after
  if (!last.every(({ text, entries }) => text.includes('KNOW-') && entries.length > 8)) throw new Error('found ' + last.map(({ entries }) => entries.length))
  console.log(Math.round(grown / 1_048_576))
  record.closeSync()`

for (const [how, ask] of [
  ['without letting the event loop turn', `retriever.retrieveSync(${JSON.stringify(things.join(' and '))})`],
  ['one after another', `await retriever.retrieve(${JSON.stringify(things.join(' and '))})`],
]) {
  test(`results that nobody keeps take no memory, asked for ${how}`, async (t) => {
    const opened = await record(t)
    opened.closeSync()
    const ran = await program(asking(ask, 600), { args: [opened.path] })
    assert.deepEqual([ran.code, ran.stderr], [0, ''])
    // All of them would take twice as much and more.
    assert.ok(Number(ran.stdout) < 64, `it grew by ${ran.stdout.trim()} MiB`)
  })
}
