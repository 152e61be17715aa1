// A context within a budget of the model's own tokens: count what comes, and ask again with less.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { open } from '@stele/native'

// Here stands the tokenizer of your model.
const count = (text) => Math.ceil(text.length / 2)

async function within(session, prompt, limit) {
  const turn = await session.turn()
  let tokenBudget = limit
  for (;;) {
    const context = await session.onPrompt(prompt, { turn, tokenBudget, deliver: false })
    const counted = count(context.text)
    // What must be said is said in any budget; what it asks for less than that is the same again.
    if (counted <= limit || context.tokens > tokenBudget) {
      await session.delivered(context)
      return context
    }
    tokenBudget = Math.min(tokenBudget - 1, Math.floor((context.tokens * limit) / counted))
  }
}

const folder = await mkdtemp(join(tmpdir(), 'stele-'))
const record = await open(join(folder, '.stele'))
const recorder = record.recorder({ actor: 'ana' })
const risks = [
  ['The pump of the north tank overheats', 'It needs a pause of ten minutes after an hour of work.'],
  ['The valve of the south tank leaks', 'A new seal was ordered in May; until it is there, a bucket stands below the tank.'],
  ['The gauge of the west tank sticks', 'Knock at the glass before you read how full the tank is.'],
]
for (const [title, body] of risks) await recorder.fact('risk', title, { body })
const context = await within(record.session('tuesday'), 'Which tank has a pump that overheats, a valve that leaks or a gauge that sticks?', 250)
console.log(`${count(context.text)} of 250 tokens as the model counts, ${context.tokens} as the record estimates`)
console.log(context.text)
await record.close()
await rm(folder, { recursive: true })
