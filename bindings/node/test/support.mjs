/** What the tests share: folders that go when a test is over, records in them, and programs of their own. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { open } from '../dist/index.js'

export const door = fileURLToPath(new URL('..', import.meta.url))
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A folder that goes when the test is over. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'stele-node-'))
  t.after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

/** An open record; searching by words is quick enough for a build that is not optimised. */
export async function record(t, options = {}) {
  let opened
  // What comes after a test happens in the order in which it was said: a record is closed before its folder goes.
  t.after(() => opened?.close())
  opened = await open(join(folder(t), '.stele'), { embedder: false, durability: 'normal', ...options })
  return opened
}

/** So many facts as interchange lines: what takes long to import. */
export function lines(count) {
  return Array.from({ length: count }, (_, at) =>
    JSON.stringify({ type: 'node', alias: `F-${at}`, kind: 'knowledge', category: 'lesson', title: `The pump of tank ${at} needs ${at % 97} minutes to warm up`, created_at: '2026-01-02T00:00:00Z' }),
  )
}

/** Runs a program of Node to its end, which has to come by itself. */
export function program(source, { args = [], flags = [], ...how } = {}) {
  return run([...flags, '--input-type=module', '-e', source, ...args], how)
}

/** Runs Node with arguments to its end, which has to come by itself. */
export async function run(args, { env = {}, folder: cwd = door, input } = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => (stdout += text))
  child.stderr.on('data', (text) => (stderr += text))
  child.stdin.end(input)
  const [code, signal] = await once(child, 'close')
  return { code, signal, stdout, stderr }
}

/** How many files in a folder this process has open; nothing where the system does not tell. */
export function openFiles(path) {
  try {
    return readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
      } catch {
        return false
      }
    }).length
  } catch {
    return undefined
  }
}

/** Waits until something is so. What never is ends with the test's own time. */
export async function until(so) {
  while (!(await so())) await pause(5)
}
