import type Person from '#identity/models/person'
import { startDatabaseBackup } from '#databases/actions/start_database_backup'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import type { DatabasePage } from '#databases/transformers/page_props'
import { runSteps } from '#core/operations/runner'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import type Vault from '#vault/models/vault'
import type { VaultPage } from '#vault/transformers/page_props'
import { callVaultService } from '#vault/call_vault_service'
import { vaultBackupCopyDestinationProvider } from '#vault/backup_copy_destination_provider'
import { makeVault, startTestVaultService } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import { createHash } from 'node:crypto'

test.group('Copies of database backups in vaults', (group) => {
  let mariadb: Mariadb
  let customer: Person
  let visitor: Visitor
  let vault: Vault
  let database: Database

  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })
  group.each.timeout(600_000)
  group.each.setup(async () => {
    await startTestVaultService()
    customer = await makeCustomer()
    visitor = await signIn(customer)
    vault = await makeVault(customer, 'safe')
    await callVaultService('changeVault', { id: vault.id, isPrivate: true })
    const name = `${accountPrefix(customer.id)}shop`
    await mariadb.ask(`CREATE DATABASE ${name}`)
    await mariadb.ask(`CREATE TABLE ${name}.goods (id INT PRIMARY KEY)`)
    await mariadb.ask(`INSERT INTO ${name}.goods VALUES (1), (2)`)
    database = await Database.create({
      accountId: customer.id,
      serverInstanceId: null,
      engine: 'mysql',
      name,
      status: 'active',
    })
  })

  const plan = (vaultId: number | null) =>
    visitor.post('/database/backup/plan', { database_id: database.id, vault_id: vaultId })

  const copied = async () => {
    await runSteps((await startDatabaseBackup(await database.refresh(), 'asked')).id)
    return DatabaseBackup.query()
      .where({ databaseId: database.id })
      .orderBy('id', 'desc')
      .firstOrFail()
  }

  test('copies are sent unchanged, read back, and deleted', async ({ assert }) => {
    assert.equal((await plan(vault.id)).status, 200)
    const backup = await copied()
    assert.isNull(backup.elsewhereError)
    assert.isNotNull(backup.sentAt)
    assert.match(backup.elsewhere!, /^berth-databases\/mysql\/shop\/\d+-\d{4}-\d\d-\d\d\.sql\.gz$/)
    const at = { accountId: customer.id, destinationId: vault.id }
    const link = await vaultBackupCopyDestinationProvider.download(at, backup.elsewhere!)
    const bytes = Buffer.from(await (await fetch(link)).arrayBuffer())
    assert.equal(createHash('sha256').update(bytes).digest('hex'), backup.digest)
    const { url } = await startTestVaultService()
    assert.equal((await fetch(`${url}/${vault.key}/${backup.elsewhere}`)).status, 403)

    const page = await visitor.page(`/database/mysql/${database.id}`)
    const { backups, backupPlan, copyPlaces } = page.json.props as unknown as DatabasePage
    assert.deepEqual(backups[0].vault, { id: vault.id, state: 'sent', error: null })
    assert.equal(backupPlan.vault_id, vault.id)
    assert.deepEqual(copyPlaces, [{ id: vault.id, name: 'safe', problem: null }])

    assert.equal((await visitor.post('/database/backup/delete', { id: backup.id })).status, 200)
    assert.equal((await fetch(link)).status, 404)
  })

  test('a public vault gets no copies, even if it became public later', async ({ assert }) => {
    await plan(vault.id)
    await callVaultService('changeVault', { id: vault.id, isPrivate: false })
    const backup = await copied()
    assert.equal(backup.status, 'done')
    assert.match(backup.elsewhereError!, /public/)
    assert.isNull(backup.sentAt)
    await plan(null)
    const refused = await plan(vault.id)
    assert.equal(refused.status, 422)
    assert.match(refused.json.errors!.vault_id[0], /public/)
  })

  test('a vault with copies cannot become public', async ({ assert }) => {
    const open = () => visitor.post('/vault/update', { id: vault.id, is_private: false })
    await plan(vault.id)
    assert.match(String((await open()).json.message), /stays private/)
    const { id } = await copied()
    await plan(null)
    assert.equal((await open()).status, 409)
    await visitor.post('/database/backup/delete', { id })
    assert.equal((await open()).status, 200)
  })

  test('deleting a vault counts its copies first, and reports them', async ({ assert }) => {
    const shown = async () => {
      const page = await visitor.page(`/vault/${vault.id}`)
      return (page.json.props as unknown as VaultPage).databaseCopies
    }
    assert.deepEqual(await shown(), { copies: 0, databases: 0 })
    await plan(vault.id)
    await copied()
    assert.deepEqual(await shown(), { copies: 1, databases: 1 })
    const { json } = await visitor.post('/vault/delete', { id: vault.id, name: vault.name })
    assert.equal(json.message, 'Vault safe is deleted, with 1 database backup.')
  })

  test('vaults of other accounts and suspended or deleted vaults get no copies', async ({
    assert,
  }) => {
    const theirs = await makeVault(await makeCustomer())
    await callVaultService('changeVault', { id: theirs.id, isPrivate: true })
    assert.equal((await plan(theirs.id)).status, 422)
    const at = { accountId: customer.id, destinationId: theirs.id }
    await assert.rejects(
      () => vaultBackupCopyDestinationProvider.upload(at, 'a', 1),
      /does not exist/
    )
    await assert.rejects(() => vaultBackupCopyDestinationProvider.download(at, 'a'), /deleted/)
    await vaultBackupCopyDestinationProvider.remove(at, ['a'])

    await vault.merge({ status: 'suspended' }).save()
    const refused = await plan(vault.id)
    assert.match(refused.json.errors!.vault_id[0], /suspended/)
    await vault.merge({ status: 'deleted' }).save()
    assert.equal((await plan(vault.id)).status, 422)
  })
})
