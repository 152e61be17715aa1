/** The door beside the table that all doors are compared with: verbs, their arguments, results, words and errors. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

import { entry } from '../dist/entries.js'
import { errorCodes, errorKinds } from '../dist/index.js'
import { door, root } from './support.mjs'

const table = JSON.parse(readFileSync(join(root, 'tests', 'cases', 'table.json'), 'utf8'))

const config = ts.parseJsonConfigFileContent(JSON.parse(readFileSync(join(door, 'ts', 'tsconfig.json'), 'utf8')), ts.sys, join(door, 'ts'))
const program = ts.createProgram(config.fileNames, { ...config.options, noEmit: true })
const checker = program.getTypeChecker()
const index = checker.getSymbolAtLocation(program.getSourceFile(join(door, 'ts', 'index.ts')))
const exported = new Map(checker.getExportsOfModule(index).map((symbol) => [symbol.name, symbol]))

/** The type of a name that the package exports. */
function type(name) {
  const symbol = exported.get(name)
  assert.ok(symbol, `the package exports no ${name}`)
  return checker.getDeclaredTypeOfSymbol(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
}

function fields(of) {
  return checker.getPropertiesOfType(of).map((property) => property.name)
}

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
const pascal = (name) => camel(`_${name}`)

test('an entry is made of its values in the order of the table', () => {
  const claim = (time) => ({ holder: 'ana', since: time, until: null })
  const value = (name) => (/_at$/.test(name) ? 0 : name === 'claim' ? claim(0) : name)
  const made = entry(table.results.Entry.map(value))
  for (const name of table.results.Entry) {
    assert.deepEqual(made[camel(name)], /_at$/.test(name) ? new Date(0) : name === 'claim' ? claim(new Date(0)) : name)
  }
})

test('every result has the fields of the table', () => {
  /** What a provider threw stands in its outcome here. */
  const more = { Outcome: ['cause'] }
  for (const [name, wanted] of Object.entries(table.results)) {
    assert.deepEqual(fields(type(name)).sort(), [...wanted.map(camel), ...(more[name] ?? [])].sort(), name)
  }
})

test('every enumeration has the words of the table', () => {
  const called = { feedback: 'Felt', moment_kind: 'MomentKind', outcome: 'OutcomeKind' }
  for (const [name, words] of Object.entries(table.enumerations)) {
    const union = type(called[name] ?? pascal(name))
    const members = union.isUnion() ? union.types : [union]
    assert.deepEqual(members.map((member) => member.value).sort(), Object.keys(words).sort(), name)
  }
})

test('every error has the kind of the table', () => {
  assert.deepEqual(Object.fromEntries(errorCodes()), table.errors)
  assert.deepEqual([...errorKinds].sort(), Object.keys(table.enumerations.error_kind).sort())
})

test('every verb is a method with the arguments of the table', () => {
  const owners = { record: 'Record', recorder: 'Recorder', retriever: 'Retriever', session: 'Session' }
  const called = { rule_feedback: 'feedback' }
  /** Verbs that are reached in another way. */
  const elsewhere = new Set(['record.tokens', 'record.session', 'recorder.transaction', 'record.retirements'])
  /** Lengths of time have their unit in their name. */
  const timed = (argument) => camel(argument.name) + (argument.form === 'seconds' ? 'Ms' : '')
  /** Arguments that this door makes of something else. */
  const made = { 'session.delivered': ['delivery'], 'recorder.promote': ['mayPromote'], 'record.sweep': ['verdicts'] }
  /** What has a default and must be said here all the same. */
  const said = ['record.resume.transcript', 'recorder.move.component']
  for (const verb of table.verbs) {
    const path = `${verb.owner}.${verb.name}`
    if (elsewhere.has(path)) continue
    const name = called[verb.name] ?? camel(verb.name)
    const member = checker.getPropertyOfType(type(owners[verb.owner]), name)
    assert.ok(member, `${owners[verb.owner]} has no ${name}`)
    const [signature] = checker.getSignaturesOfType(checker.getTypeOfSymbol(member), ts.SignatureKind.Call)
    if (signature === undefined) {
      assert.deepEqual(verb.arguments, [], `${path} is no property`)
      continue
    }
    /** Each with whether it may be left out. */
    const taken = new Map()
    for (const parameter of signature.getParameters()) {
      const free = checker.isOptionalParameter(parameter.valueDeclaration)
      if (parameter.name !== 'options') taken.set(parameter.name.replace(/_$/, ''), free)
      else {
        const options = checker.getPropertiesOfType(checker.getNonNullableType(checker.getTypeOfSymbol(parameter)))
        for (const field of options) taken.set(field.name, free || (field.flags & ts.SymbolFlags.Optional) !== 0)
      }
    }
    for (const argument of verb.arguments.filter((argument) => taken.has(timed(argument)))) {
      if (said.includes(`${path}.${argument.name}`)) continue
      assert.equal(taken.get(timed(argument)), 'default' in argument, `${path}: whether ${argument.name} may be left out`)
    }
    const wanted = verb.arguments.map(timed).filter((argument) => !made[path]?.includes(argument))
    const missing = wanted.filter((argument) => !taken.has(argument))
    assert.deepEqual(missing, [], path)
    const known = new Set([...wanted, 'signal', 'judge', 'what', ...(verb.result === 'ImportReport' ? ['progress'] : [])])
    assert.deepEqual([...taken.keys()].filter((argument) => !known.has(argument)), [], `${path} takes more`)
  }
})
