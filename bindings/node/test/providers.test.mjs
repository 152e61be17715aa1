import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'

import { SteleError, provider } from '../dist/index.js'
import { folder, program, record, until } from './support.mjs'

const prompt = 'Which pump of a tank needs how many minutes to warm up?'

function outcome(context, name) {
  return context.outcomes.find((outcome) => outcome.provider === name)
}

test('a provider is asked with what it needs to know, and what it gives stands in the context', async (t) => {
  const opened = await record(t)
  let asked
  const weather = provider(
    'weather',
    async (request) => {
      asked = request
      return [{ text: 'It rains.', source: { uri: 'weather', appliesTo: 'harbour' }, fetchedAt: new Date() }, 'It is cold.']
    },
    { category: 'system', tokenBudget: 300, timeoutMs: 60_000, turns: 'all' },
  )
  const context = await opened.session('s', { mode: 'review' }).onPrompt(prompt, { providers: [weather], action: 'deploy', now: '2030-01-01' })
  assert.deepEqual(
    [asked.prompt, asked.session, asked.turn, asked.mode, asked.action, asked.point, asked.tokenBudget, asked.now],
    [prompt, 's', 0, 'review', 'deploy', 'prompt', 300, new Date('2030-01-01T00:00:00Z')],
  )
  assert.ok(asked.remainingMs > 0 && asked.remainingMs <= 8_000)
  assert.ok(asked.signal.aborted, 'nobody waits for it any more')
  assert.match(context.text, /It rains\.[^]*It is cold\./)
  assert.deepEqual([outcome(context, 'weather').result, outcome(context, 'weather').entries], ['included', 2])
})

test('providers are asked at once, and the order of their answers changes nothing', async (t) => {
  const opened = await record(t)
  const slow = Promise.withResolvers?.() ?? deferred()
  const first = { name: 'first', timeoutMs: 60_000, fetch: () => slow.promise }
  const second = {
    name: 'second',
    fetch() {
      slow.resolve('said late')
      return 'said soon'
    },
  }
  const context = await opened.assemble(prompt, { providers: [first, second] })
  assert.ok(context.text.indexOf('said late') < context.text.indexOf('said soon'))
})

function deferred() {
  const made = {}
  made.promise = new Promise((resolve) => (made.resolve = resolve))
  return made
}

test('what a provider throws is kept as the same object, and the others go on', async (t) => {
  const opened = await record(t)
  const own = Object.assign(new Error('the server is down'), { status: 503 })
  const providers = [
    { name: 'throws', fetch() { throw own } },
    { name: 'rejects', fetch: async () => { throw 'a text' } },
    { name: 'says', fetch: () => 'all is well' },
  ]
  const context = await opened.assemble(prompt, { providers })
  assert.equal(outcome(context, 'throws').cause, own)
  assert.deepEqual([outcome(context, 'throws').result, outcome(context, 'throws').reason], ['failed', 'the server is down'])
  assert.deepEqual([outcome(context, 'rejects').cause, outcome(context, 'rejects').reason], ['a text', 'a text'])
  assert.ok(!('cause' in outcome(context, 'says')))
  assert.match(context.text, /all is well/)
  await assert.rejects(opened.assemble(prompt, { providers: [providers[0], providers[2]], strict: true }), (error) => {
    assert.ok(error instanceof SteleError)
    assert.deepEqual([error.kind, error.code, error.details.provider], ['provider', 'provider_failed', 'throws'])
    assert.equal(error.cause, own)
    return true
  })
})

test('whatever a provider throws is its own fault, be it nothing that has words', async (t) => {
  const opened = await record(t)
  const silent = Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('no words') } })
  const loud = { toString() { throw new Error('no words') } }
  for (const thrown of [Object.create(null), Object.assign(new Error('x'), { message: 5 }), silent, loud, Symbol('s'), undefined, null]) {
    const providers = [{ name: 'throws', fetch() { throw thrown } }, { name: 'late', fetch: async () => { throw thrown } }, { name: 'other', fetch: () => 'still here' }]
    const context = await opened.assemble(prompt, { providers })
    assert.match(context.text, /still here/)
    assert.deepEqual(['throws', 'late'].map((name) => [outcome(context, name).result, outcome(context, name).cause]), [['failed', thrown], ['failed', thrown]])
    assert.equal(outcome(opened.assembleSync(prompt, { providers: [providers[0]] }), 'throws').result, 'failed')
  }
})

test('nonsense of a provider is its own fault', async (t) => {
  const opened = await record(t)
  const nonsense = { number: 3, nothing: undefined, null: null, entry: [{ txt: 'x' }], mixed: ['x', 3], object: {}, circle: [] }
  nonsense.circle.push(nonsense.circle)
  const providers = Object.entries(nonsense).map(([name, answer]) => ({ name, fetch: () => answer }))
  const context = await opened.assemble(prompt, { providers: [...providers, { name: 'fine', fetch: () => ({ entries: ['fine'], warnings: ['a warning'] }) }] })
  for (const name of Object.keys(nonsense)) {
    const expected = name === 'object' ? 'empty' : 'failed'
    assert.equal(outcome(context, name).result, expected, name)
  }
  assert.equal(outcome(context, 'fine').result, 'included')
  assert.match(context.text, /a warning/)
})

test('who takes too long is told so and not waited for', async (t) => {
  const opened = await record(t)
  let signal
  const never = { name: 'never', timeoutMs: 20, fetch: (request) => ((signal = request.signal), new Promise(() => {})) }
  const context = await opened.assemble(prompt, { providers: [never] })
  assert.equal(outcome(context, 'never').result, 'timed_out')
  assert.deepEqual([signal.aborted, signal.reason.name], [true, 'TimeoutError'])
})

test('an assembly that is given up tells its providers', async (t) => {
  const opened = await record(t)
  const controller = new AbortController()
  let signal
  const never = { name: 'never', timeoutMs: 10_000, fetch: (request) => ((signal = request.signal), new Promise(() => {})) }
  const call = opened.assemble(prompt, { providers: [never], signal: controller.signal })
  await until(() => signal)
  const own = new Error('enough')
  controller.abort(own)
  await assert.rejects(call, (error) => error === own)
  assert.equal(signal.aborted, true)
})

test('a provider may call the record', async (t) => {
  const opened = await record(t)
  await opened.recorder({ actor: 'ana' }).fact('risk', 'The pump of the tank overheats')
  const searches = { name: 'searches', timeoutMs: 60_000, fetch: async () => (await opened.retriever().search('pump')).map((hit) => `found ${hit.id}`) }
  const context = await opened.assemble(prompt, { providers: [searches] })
  assert.match(context.text, /found KNOW-1/)
})

test('who is not asked is not called', async (t) => {
  const opened = await record(t)
  const calls = []
  const each = (name, options) => provider(name, () => (calls.push(name), name), options)
  const context = await opened.assemble(prompt, {
    turn: 3,
    providers: [each('first'), each('capable', { requires: ['images'], turns: 'all' }), each('same', { turns: 'all' }), each('same', { turns: 'all' }), each('all', { turns: 'all' })],
  })
  assert.deepEqual(calls, ['same', 'all'])
  assert.deepEqual(
    ['first', 'capable', 'all'].map((name) => outcome(context, name).result),
    ['turn_gated', 'capability_gated', 'included'],
  )
})

test('a synchronous assembly takes providers that answer at once', async (t) => {
  const opened = await record(t)
  const own = new Error('mine')
  const context = opened.assembleSync(prompt, {
    providers: [
      { name: 'says', fetch: () => 'all is well' },
      { name: 'throws', fetch() { throw own } },
      { name: 'promises', fetch: async () => { throw new Error('nobody hears it') } },
    ],
  })
  assert.match(context.text, /all is well/)
  assert.equal(outcome(context, 'throws').cause, own)
  assert.match(outcome(context, 'promises').reason, /promise/)
})

test('providers are those of the moment of the call', async (t) => {
  const opened = await record(t)
  const providers = [
    { name: 'p', fetch: () => 'from the first' },
    { name: 'q', fetch: () => 'from the second' },
  ]
  const context = opened.assemble('pump', { providers })
  providers.length = 0
  const { text } = await context
  assert.match(text, /from the first[^]*from the second/)
})

test('a provider that holds up the event loop takes no time from the others', async (t) => {
  const opened = await record(t)
  const hold = (ms) => {
    for (const until = performance.now() + ms; performance.now() < until; );
  }
  const providers = [
    { name: 'holds', timeoutMs: 100, fetch: () => hold(300) },
    { name: 'quick', timeoutMs: 100, fetch: () => 'at once' },
    { name: 'slower', timeoutMs: 100, fetch: async () => 'in a moment' },
  ]
  const context = await opened.assemble('pump', { providers })
  assert.deepEqual(['holds', 'quick', 'slower'].map((name) => outcome(context, name).result), ['timed_out', 'included', 'included'])
  const sync = opened.assembleSync('pump', { providers: providers.slice(0, 2) })
  assert.deepEqual(['holds', 'quick'].map((name) => outcome(sync, name).result), ['timed_out', 'included'])
})

test('a provider is not called once the time of the call is over', async (t) => {
  const opened = await record(t)
  let called = false
  const late = { name: 'late', fetch: () => ((called = true), '') }
  const context = await opened.assemble('pump', { deadlineMs: 0, providers: [late] })
  assert.deepEqual([outcome(context, 'late').result, called], ['timed_out', false])
})

test('any number of calls share a signal, and any number of providers an assembly, without a word', async (t) => {
  const source = `import { open } from '@stele/native'
    process.on('warning', (warning) => process.exit(3))
    const opened = await open(process.argv[1], { embedder: false })
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 40 }, () => opened.head({ signal })))
    const providers = Array.from({ length: 40 }, (_, at) => ({ name: 'p' + at, fetch: async () => '' }))
    await Promise.all(Array.from({ length: 20 }, () => opened.assemble('pump', { signal, providers })))
    const controller = new AbortController()
    const given = Array.from({ length: 20 }, () => opened.health({ full: true, signal: controller.signal }))
    controller.abort(new Error('enough'))
    const ends = await Promise.allSettled(given)
    if (ends.some((end) => end.reason?.message !== 'enough')) process.exit(4)
    await opened.close()`
  const { code, signal, stderr } = await program(source, { args: [join(folder(t), '.stele')] })
  assert.deepEqual([code, signal, stderr], [0, null, ''])
})
