import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { folder, lines, record } from './support.mjs'

const actor = 'ana'

test('an import is told of while it runs, and the event loop turns', async (t) => {
  const opened = await record(t)
  const heard = []
  let done = false
  const call = opened.importJsonl(lines(2_000), { actor, progress: (progress) => heard.push({ ...progress, done }) })
  call.finally(() => (done = true))
  let turns = 0
  while (!done) {
    await turn()
    turns += 1
  }
  assert.deepEqual([(await call).nodes, (await call).applied], [2_000, true])
  assert.ok(turns > 5, `the loop turned ${turns} times`)
  const phases = heard.map(({ phase }) => phase)
  assert.deepEqual([...new Set(phases)], ['reading', 'checking', 'appending', 'done'])
  assert.ok(heard.some(({ phase, lines }) => phase === 'reading' && lines > 0 && lines < 2_000), 'it is told in the middle')
  const [first, last] = [heard[0], heard.at(-1)]
  assert.deepEqual(Object.keys(first), ['phase', 'lines', 'bytes', 'totalBytes', 'faults', 'done'])
  assert.deepEqual([last.lines, last.faults], [2_000, 0])
  assert.ok(heard.every((progress) => !progress.done), 'nothing is heard of what is settled')
  assert.ok(heard.every(({ lines }, at) => at === 0 || lines >= heard[at - 1].lines))
})

test('imports of every form are told of', async (t) => {
  const opened = await record(t)
  const place = folder(t)
  const issue = { id: 'bd-1', title: 'Fix', status: 'open', priority: 1, issue_type: 'bug' }
  mkdirSync(join(place, 'adr'))
  writeFileSync(join(place, 'adr', '0001-lamp.md'), '# 1. Lamp\n\n## Status\n\nAccepted\n\n## Decision\n\nA lamp.\n')
  writeFileSync(join(place, 'issues.jsonl'), `${JSON.stringify(issue)}\n`)
  writeFileSync(join(place, 'lines.jsonl'), `${lines(2).join('\n')}\n`)
  const forms = {
    jsonl: (options) => opened.importJsonl(join(place, 'lines.jsonl'), options),
    adr: (options) => opened.importAdr(join(place, 'adr'), { ...options, prefix: 'OLD' }),
    beads: (options) => opened.importBeads(join(place, 'issues.jsonl'), options),
  }
  for (const [form, begin] of Object.entries(forms)) {
    const heard = []
    assert.equal((await begin({ actor, progress: (progress) => heard.push(progress) })).applied, true, form)
    assert.equal(heard.at(-1).phase, 'done', form)
    if (form === 'jsonl') assert.equal(heard.at(-1).totalBytes, heard.at(-1).bytes)
  }
  assert.equal((await opened.retriever().get('OLD-0001')).category, 'decision')
})

test('an import that is given up stops and writes nothing', async (t) => {
  const opened = await record(t)
  const own = new Error('enough')
  const controller = new AbortController()
  let heard = 0
  const progress = ({ lines }) => {
    heard += 1
    if (lines > 0) controller.abort(own)
  }
  await assert.rejects(opened.importJsonl(lines(20_000), { actor, progress, signal: controller.signal }), (error) => error === own)
  const after = heard
  // Calls that write happen one after another: the import is over when this one is done.
  await opened.recorder({ actor }).fact('fyi', 'It comes after')
  assert.deepEqual([await opened.head(), heard], [1, after])
})

test('an import that has not begun when it is given up never does', async (t) => {
  const opened = await record(t)
  const controller = new AbortController()
  const before = opened.importJsonl(lines(1_500), { actor })
  const never = opened.importJsonl(['{"type":"node","alias":"X-1","kind":"component","title":"X"}'], { actor, signal: controller.signal })
  controller.abort()
  await assert.rejects(never, { name: 'AbortError' })
  assert.equal((await before).nodes, 1_500)
  await opened.recorder({ actor }).fact('fyi', 'It comes after')
  assert.equal(await opened.head(), 1_501)
})

test('what a progress function throws stops the import and comes back as the same object', async (t) => {
  const opened = await record(t)
  const own = { is: 'mine' }
  let heard = 0
  const call = opened.importJsonl(lines(5_000), {
    actor,
    progress() {
      heard += 1
      throw own
    },
  })
  await assert.rejects(call, (error) => error === own)
  await opened.recorder({ actor }).fact('fyi', 'It comes after')
  assert.deepEqual([await opened.head(), heard], [1, 1])
})

test('a progress function may call the record, and close it', async (t) => {
  const opened = await record(t)
  let closing
  const found = []
  const progress = ({ phase }) => {
    found.push(opened.retriever().search('pump').catch((error) => error.kind))
    if (phase === 'checking') closing ??= opened.close()
  }
  const report = await opened.importJsonl(lines(1_200), { actor, progress })
  assert.equal(report.applied, true, 'closing waits for what is under way')
  await closing
  for (const hits of await Promise.all(found)) assert.ok(Array.isArray(hits) || hits === 'closed')
})
