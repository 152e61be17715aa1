/** What the types promise: it compiles as it stands, and then it runs. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import {
  type Category,
  type Context,
  type Entry,
  type Outcome,
  type Provider,
  type Recorded,
  Record,
  type Progress,
  type Retrieval,
  SteleError,
  type SyncProvider,
  open,
} from '@stele/native'

/** Fails to compile unless both types are the same. */
function same<A, B>(..._: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]): void {}

test('a program as an agent would have it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stele-types-'))
  {
    await using record = await open(join(folder, '.stele'), { embedder: false, busyTimeoutMs: 500, clock: () => new Date() })
    same<typeof record, Record>()
    const recorder = record.recorder({ actor: 'ana' })
    const [task, none, tags] = await recorder.transaction((write) => [
      write.task('Paint the door', { alias: 'T-1' }),
      write.link('T-1', 'mentions', 'T-1').catch(() => null),
      write.retag('T-1', { add: ['red'] }).catch(() => 'TASK-1'),
    ]).catch(() => [{ id: 'TASK-1', advice: [] }, null, 'TASK-1'] as const)
    same<typeof none, null>()
    same<typeof tags, string>()
    same<(typeof task)['id'], string>()
    const found = await record.retriever().retrieve('What do we know of the door?')
    same<typeof found, Retrieval>()
    same<(typeof found.entries)[number], Entry>()
    same<Entry['createdAt'], Date>()
    same<Entry['category'], Category | null>()
    same<Outcome['cause'], unknown>()
    const phases: Progress['phase'][] = []
    await record.importJsonl([], { actor: 'ana', progress: ({ phase }) => phases.push(phase), signal: new AbortController().signal })
    same<Progress['totalBytes'], number | null>()
    assert.equal(phases.at(-1), 'done')
    const hand: Provider = { name: 'hand', fetch: async ({ signal }) => (signal.aborted ? [] : ['text', { text: 'more', fetchedAt: new Date() }]) }
    const context: Context = await record.session('s').onPrompt('What do we know of the door?', { providers: [hand] })
    assert.match(context.text, /more/)
    const quick: SyncProvider = { name: 'quick', fetch: () => 'at once' }
    assert.match(record.assembleSync('What do we know of the door?', { providers: [quick] }).text, /at once/)
    const error: unknown = await record.retriever().get('KNOW-9').catch((error: unknown) => error)
    assert.ok(error instanceof SteleError)
    same<typeof error.kind, 'invalid' | 'not_found' | 'conflict' | 'busy' | 'closed' | 'io' | 'corrupt' | 'incompatible' | 'provider' | 'internal'>()
  }
  rmSync(folder, { recursive: true })
})

/** Never called: what does not compile. */
export async function refused(record: Record, recorded: Recorded, context: Context): Promise<void> {
  const recorder = record.recorder({ actor: 'ana' })
  // @ts-expect-error a recorder belongs to somebody
  record.recorder({})
  // @ts-expect-error no category has that name
  await recorder.fact('dream', 'x')
  // @ts-expect-error a misspelt option
  await recorder.fact('fyi', 'x', { boddy: 'y' })
  // @ts-expect-error a rule has a statement
  await recorder.rule('x', {})
  // @ts-expect-error a retirement has evidence
  await recorder.supersede('a', 'b', { reason: 'r' })
  // @ts-expect-error seconds are no milliseconds
  await record.retriever().retrieve('x', { deadline: 8 })
  // @ts-expect-error a synchronous call cannot be given up
  record.retriever().retrieveSync('x', { signal: AbortSignal.abort() })
  // @ts-expect-error a synchronous call takes no promise
  record.assembleSync('x', { providers: [{ name: 'p', fetch: async () => 'x' }] })
  // @ts-expect-error results are not changed
  recorded.id = 'y'
  // @ts-expect-error nor are their lists
  recorded.advice.push()
  // @ts-expect-error a clock gives a Date
  await open('x', { clock: () => 1_700_000_000_000 })
  // @ts-expect-error a host's embedder is not offered
  await open('x', { embedder: { name: 'mine', dimensions: 2, embed: () => [] } })
  // @ts-expect-error a number of milliseconds is no time
  await recorder.fact('fyi', 'x', { expiresAt: 1_700_000_000_000 })
  // @ts-expect-error what was not delivered by the record cannot be
  await record.session('s').delivered({ text: context.text })
  // @ts-expect-error the function of a transaction does not wait
  await recorder.transaction(async (write) => [await write.fact('fyi', 'x')])
  // @ts-expect-error what throws is looked at before it is used
  context.outcomes[0]!.cause.message
}
