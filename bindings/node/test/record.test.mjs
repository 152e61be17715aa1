import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { Record, SteleError, open, openSync, tokens, version } from '../dist/index.js'
import { folder, lines, program, record } from './support.mjs'

test('what is recorded is read back with the names of javascript, and times are dates', async (t) => {
  const recorder = (await record(t)).recorder({ actor: 'ana', session: 's' })
  assert.equal(recorder.actor, 'ana')
  assert.equal(recorder.session, 's')
  const opened = await record(t)
  const written = await opened.recorder({ actor: 'ana', session: 's' }).fact('decision', 'Push on change', {
    body: 'No polling.',
    alias: 'ADR-1',
    tags: ['io'],
    anchors: ['src/io.rs', { path: 'src/net.rs', symbol: 'push' }],
    source: { uri: 'docs/adr.md', quote: 'No polling.', appliesTo: 'server' },
    createdAt: new Date('2023-11-14T22:13:20Z'),
    expiresAt: '2030-01-01',
    reviewAt: new Date('2029-01-01T10:00:00Z'),
  })
  assert.deepEqual(written, { id: 'KNOW-1', advice: [] })
  const node = await opened.retriever().get('ADR-1')
  assert.deepEqual(node.anchors, [
    { path: 'src/io.rs', symbol: null },
    { path: 'src/net.rs', symbol: 'push' },
  ])
  assert.deepEqual(node.source, { uri: 'docs/adr.md', revision: null, quote: 'No polling.', known: null, appliesTo: 'server' })
  assert.deepEqual(
    [node.createdAt, node.expiresAt, node.reviewAt, node.verifiedAt],
    [new Date('2023-11-14T22:13:20Z'), new Date('2030-01-01T00:00:00Z'), new Date('2029-01-01T10:00:00Z'), null],
  )
  assert.ok(node.updatedAt instanceof Date)
  assert.equal(node.session, 's')
})

test('every text crosses as it is, whatever it is written in', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  for (const title of ['plain', 'é ÿ \x7f\x80', '── 漢字 ñandú', 'a😀b \u{10ffff}', 'quote " and \\ and \uffff']) {
    const { id } = await recorder.fact('fyi', title)
    assert.equal((await opened.retriever().get(id)).title, title)
  }
})

test('null clears what a revision may clear, and what is left out stays', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  await recorder.fact('fyi', 'A fair', { expiresAt: '2030-01-01', reviewAt: '2029-01-01' })
  await recorder.revise('KNOW-1', { reviewAt: null, expiresAt: undefined })
  const { reviewAt, expiresAt } = await opened.retriever().get('KNOW-1')
  assert.deepEqual([reviewAt, expiresAt], [null, new Date('2030-01-01T00:00:00Z')])
})

test('lengths of time are in milliseconds', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  await recorder.task('Paint the door')
  const claim = await recorder.claim('TASK-1', { leaseMs: 90_000 })
  assert.equal(claim.until - claim.since, 90_000)
  assert.equal(await recorder.release(claim), 'TASK-1')
  await assert.rejects(recorder.claim('TASK-1', { leaseMs: 'soon' }), { kind: 'invalid', code: 'bad_argument' })
})

test('what is no number is refused and never left out', async (t) => {
  const opened = await record(t)
  const asked = [NaN, Infinity, -Infinity].flatMap((number) => [
    () => opened.retriever().search('pump', { limit: number }),
    () => opened.retriever().retrieve('pump', { deadlineMs: number }),
    () => opened.session('s', { tokenBudget: number }).onStart(),
    () => opened.assemble('pump', { providers: [{ name: 'p', timeoutMs: number, fetch: () => '' }] }),
    () => open(opened.path, { busyTimeoutMs: number }),
    () => opened.recorder({ actor: 'ana' }).claimNext({ leaseMs: number }),
  ])
  for (const ask of asked) await assert.rejects(async () => ask(), { name: 'SteleError', kind: 'invalid' }, ask.toString())
})

test('half of a character, as a text has it that was cut, becomes the sign for what is none', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  await recorder.fact('risk', 'The pump overheats \ud83d', { body: 'It says `\\ud83d` and \\\ud83d\ude00 \udc00\udc00.' })
  const { title, body } = await opened.retriever().get('KNOW-1')
  assert.deepEqual([title, body], ['The pump overheats \ufffd', 'It says `\\ud83d` and \\\u{1f600} \ufffd\ufffd.'])
  const [found] = await opened.retriever().search('pump \ud83d')
  assert.equal(found.id, 'KNOW-1')
  assert.match((await opened.session('s').onPrompt('does the pump overheat \udc00 in the long run?')).text, /KNOW-1/)
  const given = { name: 'p', fetch: () => [{ text: 'cut \ud83d', source: { uri: '\udc00' } }] }
  assert.match((await opened.assemble('pump', { providers: [given] })).text, /cut \ufffd/)
})

test('what is no signal is refused, and the program ends', async (t) => {
  const source = `import { open } from '@stele/native'
    const opened = await open(process.argv[1])
    await opened.head({ signal: {} }).then(() => process.exit(3), (error) => console.log(error.name))
    await opened.assemble('pump', { signal: 5 }).then(() => process.exit(4), (error) => console.log(error.name))
    await opened.close()`
  const { code, signal, stdout } = await program(source, { args: [join(folder(t), '.stele')] })
  assert.deepEqual([code, signal, stdout], [0, null, 'TypeError\nTypeError\n'])
})

test('everybody sees how a claim went, and losing it is a result', async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).task('Paint the door')
  const won = await opened.recorder({ actor: 'ana' }).claimNext()
  const lost = await opened.recorder({ actor: 'bo' }).claim('TASK-1')
  assert.equal(won.granted, true)
  assert.deepEqual([lost.granted, lost.holder], [false, 'ana'])
  assert.equal(await opened.recorder({ actor: 'bo' }).claimNext(), null)
})

test('an error is one class with kind, code, details and a message', async (t) => {
  const opened = await record(t)
  await assert.rejects(opened.retriever().get('KNOW-7'), (error) => {
    assert.ok(error instanceof SteleError && error instanceof Error)
    assert.deepEqual([error.name, error.kind, error.code, error.retryable], ['SteleError', 'not_found', 'unknown_node', false])
    assert.deepEqual({ ...error.details }, { id: 'KNOW-7' })
    assert.match(error.message, /^look for "KNOW-7"/)
    return true
  })
  await assert.rejects(opened.recorder({ actor: ' ' }).fact('fyi', 'x'), { kind: 'invalid' })
  await assert.rejects(opened.retriever().search('x', { limitt: 3 }), { code: 'bad_argument', details: { field: 'limitt' } })
})

test('a record is opened as the options say', async (t) => {
  const path = join(folder(t), '.stele')
  await assert.rejects(open(path, { create: false }), { kind: 'not_found' })
  const writer = await open(path, { busyTimeoutMs: 100 })
  await writer.recorder({ actor: 'ana' }).fact('fyi', 'A fair')
  const reader = await open(path, { readOnly: true, embedder: null })
  assert.deepEqual([reader.readOnly, writer.readOnly, writer.path], [true, false, path])
  await assert.rejects(reader.recorder({ actor: 'bo' }).fact('fyi', 'Another'), { code: 'read_only' })
  assert.equal(await reader.head(), 1)
  assert.match(await reader.headHash(), /^[0-9a-f]{64}$/)
  await Promise.all([reader.close(), writer.close()])
  const refused = { embedder: [{ name: 'mine', dimensions: 2, embed: () => [] }, () => [], true, 'none'], tokenCounter: [() => 5], progress: [() => {}] }
  for (const [option, values] of Object.entries(refused)) {
    for (const value of values) {
      assert.throws(() => openSync(path, { [option]: value }), { name: 'SteleError', kind: 'invalid', code: 'bad_config' }, option)
      await assert.rejects(open(path, { [option]: value }), { code: 'bad_config' }, option)
    }
  }
  await assert.rejects(open(path, { durability: 'some' }), { kind: 'invalid' })
  await assert.rejects(open(path, { readonly: true }), { code: 'bad_config' })
})

test('after close every call rejects with closed, and closing twice is no error', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  const session = opened.session('s')
  // Calls made before are done before.
  const last = recorder.fact('fyi', 'The last one')
  await Promise.all([opened.close(), opened.close()])
  assert.equal((await last).id, 'KNOW-1')
  await opened.close()
  opened.closeSync()
  for (const call of [
    () => opened.head(),
    () => recorder.fact('fyi', 'x'),
    () => opened.retriever().retrieve('What is this about, at last?'),
    () => session.onStart(),
    () => session.onPrompt('What is this about, at last?'),
    async () => opened.retriever().retrieveSync('What is this about, at last?'),
    async () => opened.assembleSync('What is this about, at last?'),
  ]) {
    await assert.rejects(call(), { kind: 'closed', name: 'SteleError' })
  }
})

test('a record closes when the assemblies under way are done', async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).fact('risk', 'The pump of the tank overheats')
  const slow = { name: 'slow', turns: 'all', fetch: () => new Promise((resolve) => setTimeout(resolve, 100, 'It took its time')) }
  const prompt = 'What is known of the pump of the tank?'
  const session = opened.session('s')
  const under = [opened.assemble(prompt, { providers: [slow] }), session.onPrompt(prompt, { providers: [slow] }), session.onStart()]
  const closed = opened.close()
  await assert.rejects(opened.head(), { kind: 'closed' })
  const [first, second, moment] = await Promise.all(under)
  for (const { text } of [first, second]) assert.match(text, /It took its time/)
  assert.equal(moment.kind, 'start')
  await closed
  await assert.rejects(session.onStart(), { kind: 'closed' })
})

test('a record closes at the end of its block', async (t) => {
  const path = join(folder(t), '.stele')
  const [first, second] = [await open(path), openSync(path)]
  await first[Symbol.asyncDispose]()
  second[Symbol.dispose]()
  await assert.rejects(first.head(), { kind: 'closed' })
  await assert.rejects(second.head(), { kind: 'closed' })
})

test('the synchronous twins say the same', async (t) => {
  const path = join(folder(t), '.stele')
  const opened = openSync(path, { embedder: false })
  assert.ok(opened instanceof Record)
  await opened.recorder({ actor: 'ana' }).fact('risk', 'The pump of the tank overheats', { body: 'It has no fuse.' })
  const prompt = 'What is known of the pump of the tank?'
  const same = { now: '2030-01-01' }
  const retriever = opened.retriever()
  assert.deepEqual(retriever.retrieveSync(prompt, same), await retriever.retrieve(prompt, same))
  const [one, other] = [opened.assembleSync(prompt, same), await opened.assemble(prompt, same)]
  assert.deepEqual([one.text, one.digest], [other.text, other.digest])
  assert.match(one.text, /overheats/)
  const [sync, async] = [opened.session('a').onPromptSync(prompt, same), await opened.session('b').onPrompt(prompt, same)]
  assert.deepEqual([sync.text, sync.turn], [async.text, async.turn])
  assert.equal(await opened.session('a').turn(), 1)
  opened.closeSync()
  assert.throws(() => retriever.retrieveSync(prompt), { kind: 'closed' })
})

test('a transaction is one step, and its promises are settled when it is done', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  const [task, , claim] = await recorder.transaction((write) => [
    write.task('Paint the door', { alias: 'T-1' }),
    write.retag('T-1', { add: ['red'] }),
    write.claim('T-1'),
  ])
  assert.deepEqual([task.id, claim.granted, claim.takenFrom, claim.since instanceof Date], ['TASK-1', true, null, true])
  const head = await opened.head()
  let written
  await assert.rejects(
    recorder.transaction((write) => {
      written = write.fact('fyi', 'It stands alone')
      return [written, write.retag('KNOW-99', { add: ['x'] })]
    }),
    { code: 'unknown_node', details: { id: 'KNOW-99', call: '1' } },
  )
  await assert.rejects(written, { code: 'unknown_node' })
  await assert.rejects(
    recorder.transaction(async (write) => [await write.fact('fyi', 'x')]),
    TypeError,
  )
  assert.equal(await opened.head(), head)
})

test('what was served comes again when it was not delivered', async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).fact('lesson', 'Load the rate table first', { body: 'Tests fail with `RateTableEmpty` until then.' })
  const session = opened.session('s', { mode: 'review', tokenBudget: 5_000 })
  const printed = 'E   RateTableEmpty: no rate for EUR'
  const moment = await session.onOutput(printed)
  assert.match(moment.text, /rate table/)
  assert.match((await session.onOutput(printed)).text, /rate table/)
  await session.delivered(moment)
  assert.equal((await session.onOutput(printed)).text, '')
  await session.compacted()
  assert.match((await session.onOutput(printed)).text, /rate table/)
  assert.deepEqual([await session.mode(), await session.tokensLeft()], ['review', 5_000 - moment.tokens])
  await session.setMode('work')
  assert.equal(await opened.session('s').mode(), 'work')
})

test('as of an earlier moment the record says what it said then', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  await recorder.fact('fyi', 'A fair', { body: 'In spring.' })
  await recorder.revise('KNOW-1', { body: 'In autumn.' })
  assert.equal((await opened.retriever({ asOf: 1 }).get('KNOW-1')).body, 'In spring.')
  assert.equal((await opened.retriever({ asOf: new Date() }).get('KNOW-1')).body, 'In autumn.')
})

test('what goes through files comes back', async (t) => {
  const opened = await record(t)
  const report = await opened.importJsonl([...lines(20), '{"type":"node","alias":"X-1","kind":"component","title":"X","some_day":1}'], { actor: 'ana' })
  assert.deepEqual([report.nodes, report.errorCount, report.applied], [21, 0, true])
  // A host's own words stay as they are.
  assert.deepEqual(report.ignoredFields, { some_day: 1 })
  const place = folder(t)
  assert.equal((await opened.exportJsonl(join(place, 'all.jsonl'))).nodes, 21)
  const other = await record(t)
  assert.equal((await other.importJsonl(join(place, 'all.jsonl'), { actor: 'bo' })).nodes, 21)
  await opened.exportJsonl(join(place, 'log.jsonl'), { log: true })
  const third = await record(t)
  assert.equal(await third.importLog(join(place, 'log.jsonl')), await opened.head())
  assert.equal(await third.headHash(), await opened.headHash())
  await opened.backup(join(place, 'copy'))
  assert.ok(existsSync(join(place, 'copy')))
  writeFileSync(join(place, 'bad.jsonl'), 'no json\n')
  const refused = await other.importJsonl(join(place, 'bad.jsonl'), { actor: 'bo' })
  assert.deepEqual([refused.applied, refused.errors[0].line], [false, 1])
  assert.equal((await opened.exportGraph()).nodes.length, 21)
})

test('a judge in javascript is asked about every retirement', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  await recorder.fact('fyi', 'The horn is old')
  await recorder.fact('fyi', 'The horn is new')
  await recorder.supersede('KNOW-2', 'KNOW-1', { reason: 'it ended', evidence: 'The horn is new' })
  const asked = []
  const sweep = await opened.sweep(async (retirement) => {
    asked.push(retirement.older.title)
    return 'fails'
  })
  assert.deepEqual(asked, ['The horn is old'])
  assert.deepEqual([sweep.judgements[0].verdict, sweep.judgements[0].demoted], ['fails', false])
  assert.equal((await opened.sweep()).judgements.length, 1)
  const own = new Error('no opinion')
  const fails = opened.sweep(
    () => {
      throw own
    },
    { apply: true, actor: 'ana' },
  )
  await assert.rejects(fails, (error) => error === own)
  assert.equal((await opened.retriever().get('KNOW-1')).state, 'retired')
  await opened.sweep(() => 'fails', { apply: true, actor: 'ana' })
  assert.equal((await opened.retriever().get('KNOW-1')).state, 'live')
})

test('a turn is taken up again', async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).fact('risk', 'The pump of the tank overheats')
  const prompt = 'What is known of the pump of the tank?'
  const context = await opened.session('s').onPrompt(prompt, { deliver: false })
  const resumed = await opened.resume('s', 0, [{ id: '1', role: 'user', text: prompt }])
  assert.deepEqual([resumed.action, resumed.text, resumed.digest], ['append', context.text, context.digest])
  await opened.session('s').delivered(resumed)
  assert.equal((await opened.resume('s', 0, [{ id: '1', role: 'user', text: context.text + prompt }])).action, 'skip')
})

test('the ranking and the defaults can be read, and the ranking set', async (t) => {
  const opened = await record(t)
  const ranking = await opened.ranking()
  await opened.setRanking({ ...ranking, classes: { ...ranking.classes, risk: 5 } })
  assert.equal((await opened.ranking()).classes.risk, 5)
  assert.equal((await opened.defaults()).window_entries, 20)
})

test('a model has tools, with the names of their schemas', async (t) => {
  const opened = await record(t)
  const tools = opened.tools({ tier: 'read' })
  assert.ok(tools.length > 5 && tools.every((tool) => tool.tier === 'read' && tool.inputSchema.type === 'object'))
  await opened.recorder({ actor: 'ana' }).fact('risk', 'The pump of the tank overheats')
  const said = await opened.callTool('search', { query: 'pump' }, { actor: 'model', tier: 'read' })
  assert.match(JSON.stringify(said), /KNOW-1/)
  await assert.rejects(opened.callTool('record_fact', {}, { actor: 'model', tier: 'read' }), { name: 'SteleError' })
})

test('what stands by itself needs no record', () => {
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.ok(tokens('a few words') > 1)
})
