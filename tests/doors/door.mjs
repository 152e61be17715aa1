// The scenarios' door in Node: each verb is called as a host would call it, and the names of its result written as the
// scenarios write them.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const [, , table, addon] = process.argv
const { open, SteleError } = await import(pathToFileURL(addon).href)
const verbs = new Map(JSON.parse(readFileSync(table, 'utf8')).verbs.map((verb) => [verb.name, verb]))
const bound = { record: [], recorder: ['actor', 'session'], retriever: ['as_of'], session: ['session', 'actor', 'root'] }
const lengths = new Set(['deadline', 'walk_budget', 'lease', 'timeout'])
const times = new Set(['created_at', 'expires_at', 'review_at', 'now', 'since', 'until'])

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function instant(text) {
  return new Date(/T/.test(text) ? text : `${text}T00:00:00Z`)
}

function options(given) {
  const entries = Object.entries(given).map(([name, value]) => {
    if (lengths.has(name)) return [`${camel(name)}Ms`, value * 1000]
    return [camel(name), times.has(name) && typeof value === 'string' ? instant(value) : value]
  })
  return Object.fromEntries(entries)
}

function plain(value) {
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$/, 'Z')
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value ?? null
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snake(name), plain(member)]))
}

/** Calls a method by its parameters' names: those before the options stand for themselves. */
function method(handle, name, given) {
  const own = handle[camel(name)]
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
  if (owner === 'recorder' && name === 'transaction') {
    return record.recorder(held).transaction((together) => own.calls.map((step) => method(together, step.verb, step.arguments)))
  }
  if (owner === 'recorder') return method(record.recorder(held), name, own)
  if (owner === 'retriever') return method(record.retriever(held), name, own)
  if (owner === 'session') {
    const { session, ...rest } = held
    return method(record.session(session, rest), name, own)
  }
  return method(record, name, own)
}

let record
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.split('\t')
  let said
  try {
    let answer = null
    if (word === 'open') record = await open(rest[0])
    else if (word === 'close') await record.close()
    else answer = plain(await call(record, rest[0], JSON.parse(rest[1])))
    said = ['ok', JSON.stringify(answer)]
  } catch (error) {
    if (!(error instanceof SteleError)) throw error
    said = ['error', error.kind, error.code]
  }
  process.stdout.write(`${said.join('\t')}\n`)
}
