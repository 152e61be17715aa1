// What the door costs: a retrieval through it beside the Rust call, and a hook's process beside an empty one, in turns so
// that whatever else the machine does meets both. The Rust call is built in the profile of the addon that is packed.
//   cargo build --profile dist --package stele-bench --bin door && cargo xtask node --release && node bench/door.mjs [FACTS]
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { open } from '../dist/index.js'

const here = dirname(fileURLToPath(import.meta.url))
const bare = join(here, '..', '..', '..', 'target', 'dist', 'door')
const facts = process.argv[2] ?? '10000'
const said = (...words) => execFileSync(bare, words, { encoding: 'utf8' }).trim()
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1]
const micros = (began) => Number(process.hrtime.bigint() - began) / 1e3

const dir = said('record', facts)
const prompts = said('prompts', '50').split('\n')
const rust = spawn(bare, ['time', dir], { stdio: ['pipe', 'pipe', 'inherit'] })
const answers = createInterface({ input: rust.stdout })[Symbol.asyncIterator]()
const record = await open(dir, { create: false, readOnly: true })
const retriever = record.retriever()

// What a host does with a result: nothing, take its text, or look at all that is read when it is looked at.
const looks = {
  '': () => 0,
  ' + text': ({ text }) => text.length,
  ' + everything': ({ text, entries, callouts }) => text.length + entries.length + callouts.length,
}
const asked = { retrieveSync: (prompt) => retriever.retrieveSync(prompt), 'await retrieve': (prompt) => retriever.retrieve(prompt) }

// Every side has its turn with all prompts, round by round; each prompt counts with its best time.
const best = {}
const noted = (name, nth, time) => ((best[name] ??= [])[nth] = Math.min(best[name][nth] ?? Infinity, time))
const sizes = []
for (let round = 0; round < 21; round += 1) {
  rust.stdin.write(prompts.map((prompt) => `${prompt}\n`).join(''))
  for (const nth of prompts.keys()) noted('rust', nth, Number((await answers.next()).value) / 1e3)
  for (const [name, ask] of Object.entries(asked)) {
    for (const [more, look] of Object.entries(looks)) {
      for (const [nth, prompt] of prompts.entries()) {
        const began = process.hrtime.bigint()
        const answer = ask(prompt)
        const found = answer instanceof Promise ? await answer : answer
        look(found)
        noted(name + more, nth, micros(began))
        if (round === 0) sizes.push(JSON.stringify(found).length)
      }
    }
  }
}
rust.stdin.end()
await record.close()
const { rust: bared, ...others } = best
const base = median(bared)
console.log(`${facts} facts, results of ${median(sizes)} characters, medians in microseconds: rust ${base.toFixed(0)}`)
for (const [name, times] of Object.entries(others)) {
  const [time, bound] = [median(times), 1.15 * base + 50]
  console.log(`${name} ${time.toFixed(0)}: ${(time / base).toFixed(3)} times, +${(time - base).toFixed(0)}, bound ${bound.toFixed(0)}: ${time <= bound ? 'kept' : 'missed'}`)
}

// Each prompt is the first of its session, which has all that the record says.
let sessions = 0
const event = () =>
  JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: `bench-${process.pid}-${sessions++}`, cwd: dirname(dir), prompt: prompts[0] })
const programs = {
  'node -e 0': () => spawnSync(process.execPath, ['-e', '0']),
  hook: () => spawnSync(process.execPath, [join(here, '..', 'bin', 'stele-hook.js')], { input: event() }),
}
const whole = { 'node -e 0': [], hook: [] }
for (let turn = 0; turn < 41; turn += 1) {
  for (const [name, run] of Object.entries(programs)) {
    const began = process.hrtime.bigint()
    const { status, stdout, stderr } = run()
    if (status !== 0 || stderr.length > 0 || (name === 'hook') !== stdout.length > 0) throw new Error(`${name}: ${stderr}`)
    whole[name].push(micros(began) / 1e3)
  }
}
const [empty, hook] = [median(whole['node -e 0']), median(whole.hook)]
console.log(`whole process in milliseconds: node -e 0 ${empty.toFixed(1)}, hook ${hook.toFixed(1)}: ${(hook / empty).toFixed(3)} times`)
