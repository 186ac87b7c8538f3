import { test } from '@japa/runner'
import { mkdir, mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestCountsFolder } from '../folders.js'
import { startVaultService } from '../main.js'
import { Journal, RECORD_BYTES } from '../meter/journal.js'
import { UsageAggregator } from '../meter/usage_aggregator.js'
import { Database } from '../store/database.js'
import type { Vault } from '../types.js'
import { stopVaultService, testServiceOptions } from './test_service.js'

test.group('Aggregation of usage', (group) => {
  let folder: string
  let database: Database
  let vault: Vault
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-counts-'))
    await mkdir(requestCountsFolder(folder))
    database = new Database(process.env.VAULT_DATABASE_URL!)
    const id = randomInt(1_000_000_000, 2_000_000_000)
    vault = { id, accountId: id } as Vault
    return async () => {
      await database.rows('delete from vault.usage where vault_id = $1', [id])
      await database.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
  const counted = async () =>
    (await database.row<{ n: number }>(
      'select coalesce(sum(requests), 0)::int as n from vault.usage where vault_id = $1',
      [vault.id]
    ))!.n
  const count = (journal: Journal, requests: number) => {
    for (let at = 0; at < requests; at++) journal.count(vault, 0, 0)
  }
  const storedPositions = async () =>
    (await database.rows<{ name: string }>('select name from vault.journals')).map(
      ({ name }) => name
    )

  for (const [size, title] of [
    [0, 'empty'],
    [2 * RECORD_BYTES + 5, 'shorter'],
  ] as const) {
    test(`after a power failure that left a journal file ${title}, the service starts and reports it`, async ({
      assert,
    }) => {
      const counts = requestCountsFolder(folder)
      const journal = new Journal(counts)
      count(journal, 5)
      await new UsageAggregator(database, counts).run()
      const [name] = await readdir(counts)
      await truncate(join(counts, name), size)

      await stopVaultService()
      const logged: object[] = []
      const log = (entry: object) => logged.push(entry)
      const service = await startVaultService({ ...testServiceOptions(folder), log })
      await service.stop()

      assert.equal(await counted(), 5)
      assert.containsSubset(logged, [
        {
          msg: 'a file of request counts is shorter than its counted part',
          file: name,
          counted: 5 * RECORD_BYTES,
          size,
        },
      ])
      assert.notInclude(await readdir(counts), `${name}.done`)
      assert.notInclude(await storedPositions(), name)
    })
  }
})
