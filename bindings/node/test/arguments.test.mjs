/** What is no argument: it is refused by name, and never counts as left out. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'

import { open, openSync } from '../dist/index.js'
import { folder, record } from './support.mjs'

const round = {}
round.round = round
const deep = Array.from({ length: 100_000 }).reduce((inner) => [inner], 'x')

/** What JSON would leave out, make null of, or throw at. */
const FORMLESS = { function: () => 5, symbol: Symbol('x'), bigint: 5n, NaN: NaN, infinity: Infinity, 'a date that is none': new Date('tomorrow'), 'what holds itself': round, 'what is too deep': deep }

test('what JSON has no form for is refused by the name of its option', async (t) => {
  const opened = await record(t)
  const recorder = opened.recorder({ actor: 'ana' })
  await recorder.fact('risk', 'The pump overheats', { alias: 'P-1', expiresAt: '2999-01-01' })
  await recorder.task('Paint the door', { alias: 'T-1' })
  const retriever = opened.retriever()
  const prompt = 'What is known of the pump of the tank?'
  const asked = (value) => [
    ['expires_at', () => recorder.revise('P-1', { expiresAt: value })],
    ['review_at', () => recorder.fact('fyi', 'A fair', { reviewAt: value })],
    ['body', () => recorder.fact('fyi', 'A fair', { body: value })],
    ['allow_secrets', () => recorder.fact('fyi', 'A fair', { allowSecrets: value })],
    ['tags[0]', () => recorder.fact('fyi', 'A fair', { tags: [value] })],
    ['lease', () => recorder.claim('T-1', { leaseMs: value })],
    ['as_of', () => opened.retriever({ asOf: value }).get('P-1')],
    ['now', () => retriever.retrieve(prompt, { now: value })],
    ['since', () => retriever.search('pump', { since: value })],
    ['now', () => opened.assemble(prompt, { now: value })],
    ['now', async () => opened.assembleSync(prompt, { now: value })],
    ['strict', () => opened.session('s').onPrompt(prompt, { strict: value })],
    ['mode', () => opened.session('s', { mode: value }).onStart()],
    ['provider.timeout', () => opened.assemble(prompt, { providers: [{ name: 'p', timeoutMs: value, fetch: () => '' }] })],
    ['limit', () => opened.callTool('search', { query: 'pump', limit: value }, { actor: 'ana' })],
    ['durability', () => open(opened.path, { durability: value })],
  ]
  for (const [name, value] of Object.entries(FORMLESS)) {
    for (const [field, ask] of asked(value)) {
      await assert.rejects(ask, (error) => error.name === 'SteleError' && error.kind === 'invalid' && error.details.field === field, `${field}: ${name}`)
    }
  }
  assert.deepEqual([await opened.head(), (await retriever.get('P-1')).expiresAt], [2, new Date('2999-01-01')])
})

test('an entry of a provider with a date that is none is a fault of the provider', async (t) => {
  const opened = await record(t)
  const given = { name: 'p', fetch: () => [{ text: 'It stands', reviewAt: new Date(NaN) }] }
  const { outcomes } = await opened.assemble('pump', { providers: [given] })
  const outcome = outcomes.find(({ provider }) => provider === 'p')
  assert.deepEqual([outcome.result, outcome.cause.details.field], ['failed', 'entries[0].review_at'])
})

test('options that are none are refused, and null is as good as none', async (t) => {
  const opened = await record(t)
  const verbs = [
    (options) => opened.retriever().retrieve('pump', options),
    (options) => opened.assemble('pump', options),
    async (options) => opened.assembleSync('pump', options),
    (options) => opened.session('s').onPrompt('pump', options),
    (options) => opened.session('s', options).onStart(),
    (options) => opened.retriever(options).search('pump'),
    (options) => opened.health(options),
    async (options) => openSync(opened.path, options).closeSync(),
    async (options) => (await open(opened.path, options)).close(),
  ]
  for (const verb of verbs) {
    await verb(null)
    for (const options of [5, 'all', true]) await assert.rejects(() => verb(options), { name: 'SteleError', kind: 'invalid', details: { field: 'options' } }, `${verb}`)
  }
  await assert.rejects(opened.recorder().fact('fyi', 'A fair'), { kind: 'invalid', details: { field: 'actor' } })
  await assert.rejects(opened.importJsonl([]), { kind: 'invalid', details: { field: 'actor' } })
})

test('each argument of another type is refused by its name', async (t) => {
  const opened = await record(t)
  const refused = [
    ['path', () => open(5)],
    ['path', async () => openSync(null)],
    ['create', () => open(opened.path, { create: 'yes' })],
    ['read_only', () => open(opened.path, { readOnly: 1 })],
    ['busy_timeout', () => open(opened.path, { busyTimeoutMs: 'long' })],
    ['clock', () => open(opened.path, { clock: 5 })],
    ['readonly', () => open(opened.path, { readonly: true })],
    ['prompt', () => opened.assemble(5)],
    ['prompt', () => opened.session('s').onPrompt()],
    ['session', () => opened.session(5).onPrompt('pump')],
    ['root', () => opened.session('s', { root: 5 }).onPrompt('pump')],
    ['rooot', () => opened.session('s', { rooot: '.' }).onPrompt('pump')],
    ['providers', () => opened.assemble('pump', { providers: 'all' })],
    ['provider', () => opened.assemble('pump', { providers: [null] })],
    ['progress', () => opened.importJsonl([], { actor: 'ana', progress: 5 })],
    ['judge', () => opened.sweep('strict')],
    ['delivery', () => opened.session('s').delivered(null)],
  ]
  for (const [field, ask] of refused) {
    await assert.rejects(ask, (error) => error.name === 'SteleError' && error.kind === 'invalid' && error.details.field === field, `${field}: ${ask}`)
  }
  await (await open(join(folder(t), '.stele'), { create: null, clock: null, durability: null, busyTimeoutMs: null, embedder: false })).close()
})
