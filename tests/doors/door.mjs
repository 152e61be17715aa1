// The scenarios' door in Node: each verb is called as a host would call it, and the names of its result written as the
// scenarios write them.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const [, , table, addon] = process.argv
const { open, provider, SteleError, tokens } = await import(pathToFileURL(addon).href)
const verbs = new Map(JSON.parse(readFileSync(table, 'utf8')).verbs.map((verb) => [verb.name, verb]))
const bound = { record: [], recorder: ['actor', 'session'], retriever: ['as_of'], session: ['session', 'actor', 'root'] }
const lengths = new Set(['deadline', 'walk_budget', 'lease', 'timeout'])
const times = new Set(['created_at', 'expires_at', 'review_at', 'fetched_at', 'now', 'since', 'until'])
/** What JavaScript says otherwise. */
const renamed = { rule_feedback: 'feedback' }

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function instant(text) {
  return new Date(/T/.test(text) ? text : `${text}T00:00:00Z`)
}

function options(given) {
  const entries = Object.entries(given).map(([name, value]) => {
    if (name === 'providers') return [name, value.map(asked)]
    if (lengths.has(name)) return [`${camel(name)}Ms`, value * 1000]
    return [camel(name), times.has(name) && typeof value === 'string' ? instant(value) : value]
  })
  return Object.fromEntries(entries)
}

/** A provider as a function that gives what the scenario says it gives. */
function asked({ name, entries = [], warnings = [], fault, ...declared }) {
  const fetch = () => {
    if (fault !== undefined) throw new Error(fault)
    return { entries: entries.map((entry) => (typeof entry === 'string' ? entry : options(entry))), warnings }
  }
  return provider(name, fetch, options(declared))
}

function plain(value) {
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$/, 'Z')
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value ?? null
  const fields = Object.entries(value).filter(([, member]) => !(member instanceof Error))
  // A schema's names are its own.
  return Object.fromEntries(fields.map(([name, member]) => [snake(name), name === 'inputSchema' ? member : plain(member)]))
}

/** Calls a method by its parameters' names: those before the options stand for themselves. */
function method(handle, name, given) {
  const own = handle[camel(renamed[name] ?? name)]
  if (typeof own !== 'function') return own
  const names = /\(([^)]*)\)/.exec(own.toString())[1].split(',').map((part) => part.split('=')[0].trim())
  const rest = { ...given }
  const places = names.filter((part) => part !== '' && part !== 'options').map((part) => {
    const name = snake(part).replace(/_$/, '')
    const value = rest[name]
    delete rest[name]
    return value
  })
  return own.call(handle, ...places, options(rest))
}

async function call(record, name, given) {
  const owner = verbs.get(name).owner
  const own = { ...given }
  const held = {}
  for (const key of bound[owner]) {
    if (key in own) held[camel(key)] = own[key]
    delete own[key]
  }
  if (name === 'tokens') return tokens(given.text)
  if (name === 'sweep' && own.verdicts !== undefined) {
    const said = new Map(own.verdicts.map((of) => [`${of.newer} ${of.older}`, of.verdict]))
    delete own.verdicts
    own.judge = (retirement) => said.get(`${retirement.newer.id} ${retirement.older.id}`) ?? 'unsure'
  }
  if (name === 'promote') {
    held.mayPromote = own.may_promote
    delete own.may_promote
  }
  if (name === 'transaction') {
    return record.recorder(held).transaction((together) => own.calls.map((step) => method(together, step.verb, step.arguments)))
  }
  if (owner === 'recorder') return method(record.recorder(held), name, own)
  if (owner === 'retriever') return method(record.retriever(held), name, own)
  if (owner === 'session') {
    const { session, ...rest } = held
    const opened = record.session(session, rest)
    return name === 'delivered' ? opened.delivered({ delivery: own.delivery }) : method(opened, name, own)
  }
  if (name === 'session') return stood(record, own)
  return method(record, name, own)
}

/** Where a session stands. */
async function stood(record, { name, ...given }) {
  const session = record.session(name, options(given))
  return { name: session.name, mode: await session.mode(), turn: await session.turn(), tokens_left: await session.tokensLeft() }
}

const handles = new Map()

function opened(handle, folder, words) {
  const given = words.split(' ')
  const how = { readOnly: given.includes('read_only'), create: !given.includes('no_create') }
  return open(folder, given.includes('no_embedder') ? { ...how, embedder: false } : how).then((record) => void handles.set(handle, record))
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, handle, ...rest] = line.split('\t')
  let said
  try {
    let answer = null
    if (word === 'open') await opened(handle, ...rest)
    else if (word === 'close') await handles.get(handle)?.close()
    else answer = plain(await call(handles.get(handle), rest[0], JSON.parse(rest[1])))
    said = ['ok', JSON.stringify(answer)]
  } catch (error) {
    if (!(error instanceof SteleError)) throw error
    const { kind, code, retryable, message, details } = error
    said = ['error', JSON.stringify({ kind, code, retryable, message, details })]
  }
  process.stdout.write(`${said.join('\t')}\n`)
}
