// A prompt's context with a provider of the host beside what the record knows.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { open } from '@stele/native'

const tickets = {
  name: 'tickets',
  category: 'memory',
  turns: 'all',
  timeoutMs: 1_500,
  async fetch({ prompt, tokenBudget, signal }) {
    // A real one would pass the signal on: await fetch(url, { signal })
    signal.throwIfAborted()
    return [{ text: `No open ticket of ${tokenBudget} tokens or less names "${prompt}".`, source: { uri: 'tickets' } }]
  },
}

const folder = await mkdtemp(join(tmpdir(), 'stele-'))
const record = await open(join(folder, '.stele'))
await record.recorder({ actor: 'ana' }).rule('Money is integers', { statement: 'Keep amounts in cents, never in floats.', mandatory: true })

const context = await record.session('tuesday').onPrompt('How are partial refunds paid out?', { providers: [tickets] })
console.log(context.text)
for (const { provider, result, cause } of context.outcomes) console.log(provider, result, cause ?? '')
await record.close()
await rm(folder, { recursive: true })
