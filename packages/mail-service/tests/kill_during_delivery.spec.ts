import { test } from '@japa/runner'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '#tests/support/eventually'
import { createDeliveryFixture } from './delivery_fixture.js'
import { startSmtpSink } from './smtp_sink.js'

const KILL_COUNT = Number(process.env.BERTH_KILLS ?? 8)
const MESSAGES_PER_ROUND = 25
const program = fileURLToPath(new URL('./delivery_process.ts', import.meta.url))

/** Returns a generator of numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

test.group('Mail service that is killed', () => {
  for (const { lines, domains } of [
    { lines: 1, domains: 1 },
    { lines: 4, domains: 3 },
  ]) {
    const most = lines * domains
    test(`after ${KILL_COUNT} kills with ${most} connections, all messages arrive, and each kill duplicates at most ${most} of them`, async ({
      assert,
      cleanup,
    }) => {
      const its = await createDeliveryFixture()
      cleanup(() => its.end())
      const sink = await startSmtpSink()
      cleanup(() => sink.stop())
      const random = seeded(20_261_123 + lines)
      const ids: string[] = []
      /** For each kill, the Message-IDs that had arrived by then. */
      const before: Set<string>[] = []
      for (let kill = 0; kill < KILL_COUNT; kill++) {
        for (let each = 0; each < MESSAGES_PER_ROUND; each++) {
          ids.push(await its.put(`p${each}@d${each % domains}.test`))
        }
        const child = fork(program, {
          execArgv: process.execArgv,
          env: { ...process.env, SINK_PORT: String(sink.port), LINES: String(lines) },
        })
        await once(child, 'message')
        const enough = Math.floor(random() * MESSAGES_PER_ROUND)
        const there = sink.letters.length
        for (let tried = 0; tried < 1_000 && sink.letters.length < there + enough; tried++) {
          await wait(2)
        }
        await wait(random() * 10)
        child.kill('SIGKILL')
        await once(child, 'exit')
        await eventually(() => assert.isTrue(sink.isIdle()))
        await wait(50)
        before.push(new Set(sink.letters.map(({ messageId }) => messageId)))
      }
      await its.start({ port: sink.port })
      for (const id of ids) assert.equal((await its.isFinal(id)).state, 'delivered')

      const copies = new Map<string, number>()
      for (const { messageId } of sink.letters) {
        copies.set(messageId, (copies.get(messageId) ?? 0) + 1)
      }
      assert.sameMembers(
        [...copies.keys()],
        ids.map((id) => `<${id}@mail.berth.test>`)
      )
      // A message may arrive twice only if the process was killed between its delivery and the commit.
      const doubled = [...copies.values()].reduce((sum, count) => sum + count - 1, 0)
      assert.isAtMost(doubled, most * KILL_COUNT)
      for (const [kill, known] of before.entries()) {
        const earlier = before[kill - 1] ?? new Set()
        const fresh = [...known].filter((id) => !earlier.has(id))
        const again = fresh.filter((id) => copies.get(id)! > 1)
        assert.isAtMost(again.length, most, `kill ${kill}`)
      }
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
    }).timeout(1_800_000)
  }
})
