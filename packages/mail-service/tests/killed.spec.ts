import { test } from '@japa/runner'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { ground } from './ground.js'
import { startSink } from './sink.js'

/** How often it is killed; BERTH_KILLS=100 for the whole thing. */
const KILLS = Number(process.env.BERTH_KILLS ?? 8)
const EACH = 25
const program = fileURLToPath(new URL('./drain_process.ts', import.meta.url))

/** Numbers between 0 and 1, the same in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

test.group('Mail, killed', () => {
  test(`killed ${KILLS} times while it sends: all arrives, twice at most once for each line of a kill`, async ({
    assert,
  }) => {
    const its = await ground()
    const sink = await startSink()
    const random = seeded(20_261_123)
    const ids: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      for (let each = 0; each < EACH; each++) ids.push(await its.put(`p${each}@d${each % 3}.test`))
      const child = fork(program, {
        execArgv: process.execArgv,
        env: { ...process.env, SINK_PORT: String(sink.port) },
      })
      await once(child, 'message')
      // From before the first letter to well into them.
      const enough = Math.floor(random() * EACH)
      const before = sink.letters.length
      for (let tried = 0; tried < 200 && sink.letters.length < before + enough; tried++) {
        await wait(2)
      }
      await wait(random() * 10)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await its.start({ port: sink.port, lease: 1 })
    for (const id of ids) assert.equal((await its.isFinal(id)).state, 'delivered')

    const copies = new Map<string, number>()
    for (const { messageId } of sink.letters) {
      copies.set(messageId, (copies.get(messageId) ?? 0) + 1)
    }
    assert.sameMembers(
      [...copies.keys()],
      ids.map((id) => `<${id}@mail.berth.test>`)
    )
    assert.isAtMost(Math.max(...copies.values()), 1 + KILLS)
    const attempts = await its.database.rows<{ count: number }>(
      'select count(*) from mail.attempts where message_id = any($1)',
      [ids]
    )
    assert.equal(attempts[0]!.count, ids.length)
    const usage = await its.database.row<{ delivered: number }>(
      'select delivered from mail.usage where sender_id = $1',
      [its.sender]
    )
    assert.equal(usage!.delivered, ids.length)
    await its.end()
    await sink.stop()
  }).timeout(600_000)
})
