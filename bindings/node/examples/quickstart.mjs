// Two decisions, one of which ends the other, and a question that uses the words of the one that ended.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { open } from '@stele/native'

const folder = await mkdtemp(join(tmpdir(), 'stele-'))
const record = await open(join(folder, '.stele'))
const recorder = record.recorder({ actor: 'ana' })
await recorder.fact('decision', 'Keep sessions in DynamoDB', { alias: 'ADR-1', body: 'The table is shared with billing.' })
await recorder.fact('decision', 'Keep sessions in PostgreSQL', {
  alias: 'ADR-7',
  body: 'The DynamoDB table was deleted on 3 March, sessions live in PostgreSQL now.',
})
await recorder.supersede('ADR-7', 'ADR-1', {
  reason: 'The table that held the sessions is gone',
  evidence: 'The DynamoDB table was deleted on 3 March',
})

const found = await record.retriever().retrieve('Which DynamoDB table holds our sessions?')
console.log(found.text)
await record.close()
await rm(folder, { recursive: true })
