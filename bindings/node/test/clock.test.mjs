import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'

import { open, openSync } from '../dist/index.js'
import { folder, record } from './support.mjs'

/** A clock that shows what it is set to. */
function clockAt(text) {
  const clock = () => {
    clock.asked += 1
    return new Date(clock.at)
  }
  return Object.assign(clock, { at: text, asked: 0 })
}

test('what is called has the time at which it was called', async (t) => {
  const clock = clockAt('2020-01-01T00:00:00.000Z')
  const opened = await record(t, { clock })
  const recorder = opened.recorder({ actor: 'ana' })
  // All three wait in a line, and each keeps its own time.
  const written = ['2021-01-01', '2022-01-01', '2023-01-01'].map((at) => {
    clock.at = `${at}T00:00:00.000Z`
    return recorder.fact('fyi', `It is ${at}`)
  })
  clock.at = '2030-01-01T00:00:00.000Z'
  await Promise.all(written)
  for (const [nth, year] of [2021, 2022, 2023].entries()) {
    assert.deepEqual((await opened.retriever().get(`KNOW-${nth + 1}`)).createdAt, new Date(`${year}-01-01T00:00:00Z`))
  }
  const found = await opened.retriever().retrieve('What is known of the year 2021, which it is?')
  assert.deepEqual(found.now, new Date(clock.at))
  const before = clock.asked
  await opened.head()
  assert.equal(clock.asked, before + 1, 'it is asked once a call')
})

test('facts end and leases run out by it', async (t) => {
  const clock = clockAt('2020-01-01T00:00:00.000Z')
  const opened = await record(t, { clock })
  const recorder = opened.recorder({ actor: 'ana' })
  await recorder.fact('fyi', 'A fair', { expiresAt: '2020-06-01' })
  await recorder.task('Paint the door')
  assert.equal((await recorder.claim('TASK-2', { leaseMs: 60_000 })).granted, true)
  const other = opened.recorder({ actor: 'bo' })
  assert.equal((await other.claim('TASK-2')).granted, false)
  assert.equal((await opened.retriever().get('KNOW-1')).state, 'live')
  clock.at = '2020-01-01T00:02:00.000Z'
  assert.equal((await other.claim('TASK-2')).granted, true)
  clock.at = '2020-07-01T00:00:00.000Z'
  assert.equal((await opened.retriever().get('KNOW-1')).state, 'expired')
})

test('assembly, imports and calls on this thread have it too', async (t) => {
  const clock = clockAt('2020-01-01T00:00:00.000Z')
  const place = join(folder(t), '.stele')
  const opened = openSync(place, { embedder: false, clock })
  await opened.importJsonl(['{"type":"node","alias":"X-1","kind":"knowledge","category":"risk","title":"The pump of the tank overheats"}'], { actor: 'ana' })
  assert.deepEqual((await opened.retriever().get('X-1')).createdAt, new Date(clock.at))
  const prompt = 'What is known of the pump of the tank?'
  clock.at = '2021-01-01T00:00:00.000Z'
  assert.deepEqual(opened.retriever().retrieveSync(prompt).now, new Date(clock.at))
  let asked
  const provider = { name: 'asked', turns: 'all', timeoutMs: 60_000, fetch: (request) => ((asked = request.now), 'It rains.') }
  for (const at of ['2022-01-01T00:00:00.000Z', '2023-01-01T00:00:00.000Z']) {
    clock.at = at
    const how = { providers: [provider] }
    const context = at.startsWith('2022') ? await opened.assemble(prompt, how) : opened.assembleSync(prompt, how)
    assert.deepEqual([asked, context.record.now], [new Date(at), new Date(at)])
  }
  opened.closeSync()
})

test('what a clock throws is what the call comes to, and nothing happens', async (t) => {
  let faulty
  const own = new Error('no battery')
  const clock = () => {
    if (faulty) return faulty()
    return new Date('2020-01-01')
  }
  const opened = await record(t, { clock })
  const recorder = opened.recorder({ actor: 'ana' })
  faulty = () => {
    throw own
  }
  await assert.rejects(recorder.fact('fyi', 'x'), (error) => error === own)
  await assert.rejects(opened.assemble('What is known of the pump of the tank?'), (error) => error === own)
  assert.throws(() => opened.retriever().retrieveSync('What is known?'), (error) => error === own)
  await assert.rejects(opened.importJsonl([], { actor: 'ana' }), (error) => error === own)
  const place = join(folder(t), '.stele')
  await assert.rejects(open(place, { clock }), (error) => error === own)
  for (const nonsense of [new Date(Number.NaN), 5, '2020-01-01', undefined]) {
    faulty = () => nonsense
    await assert.rejects(recorder.fact('fyi', 'x'), TypeError)
    assert.throws(() => openSync(place, { clock }), TypeError)
  }
  faulty = undefined
  assert.equal(await opened.head(), 0)
})

test('without a clock the time is that of the system', async (t) => {
  const opened = await record(t)
  const before = Date.now()
  await opened.recorder({ actor: 'ana' }).fact('fyi', 'x')
  const { createdAt } = await opened.retriever().get('KNOW-1')
  assert.ok(createdAt >= before && createdAt <= Date.now())
})
