import { test } from '@japa/runner'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Journal, RECORD_BYTES, parseJournalRecords } from '../meter/journal.js'
import type { Vault } from '../types.js'

const vault = (id: number) => ({ id, accountId: id + 1 }) as Vault

test.group('Journal of usage', (group) => {
  let folder: string
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-counts-'))
    return () => rm(folder, { recursive: true, force: true })
  })
  const written = () =>
    readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

  test('each response waits until it is counted, and concurrent responses are counted by one write', async ({
    assert,
  }) => {
    const journal = new Journal(folder)
    const many = 1_000
    let answered = 0
    const all = Array.from({ length: many }, (_, at) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      journal.countReady(vault(at + 1), at, () => {
        answered++
        assert.isAtLeast(written(), answered * RECORD_BYTES, 'answered before it was counted')
        resolve()
      })
      return promise
    })
    // Written immediately, although other records are still buffered. No record may be lost or counted twice.
    journal.count(vault(5_000), 3, 4)
    journal.correct(vault(5_000), -1)
    await Promise.all(all)
    journal.close()
    const [file] = await readdir(folder)
    const found = [...parseJournalRecords(await readFile(join(folder, file)))]
    assert.lengthOf(found, many + 2)
    assert.equal(
      found.reduce((sum, { bytesOut }) => sum + bytesOut, 0),
      (many * (many - 1)) / 2 + 3
    )
    assert.lengthOf(new Set(found.map(({ vaultId }) => vaultId)), many + 1)
  })

  test('counts and answers the waiting requests when it closes', async ({ assert }) => {
    const journal = new Journal(folder)
    let answered = false
    journal.countReady(vault(1), 7, () => (answered = true))
    journal.close()
    assert.isTrue(answered)
    assert.equal(written(), RECORD_BYTES)
  })
})
