import { startDatabaseBackup } from '#databases/actions/start_database_backup'
import { mailFailingNightlyBackups } from '#databases/actions/mail_failing_nightly_backups'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { alerts } from '#databases/monitoring'
import { FAILED_NIGHTLY_BACKUPS } from '#databases/queries/failing_nightly_backups'
import { accountPrefix } from '#databases/servers/resolve_database_server'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const REASON = 'The backups of one account may take up 20.0 GB on the managed server.'

test.group('Failing nightly backups of databases', () => {
  async function makeShop() {
    const customer = await makeCustomer()
    const database = await Database.create({
      accountId: customer.id,
      serverInstanceId: null,
      engine: 'mysql',
      name: `${accountPrefix(customer.id)}shop`,
      status: 'active',
      backupNightly: true,
    })
    const backUp = async (result: Partial<DatabaseBackup>) => {
      const { input } = await startDatabaseBackup(database, 'nightly')
      await DatabaseBackup.query()
        .where('id', Number(input.backupId))
        .update(Object.assign({ error: null }, result))
    }
    const fail = () => backUp({ status: 'failed', error: REASON })
    const succeed = () => backUp({ status: 'done', sizeBytes: 1 })
    const mails = () =>
      db.from('outbox_mails').where({ to: customer.email }).orderBy('id').select('subject', 'text')
    const problem = async () => {
      const [found] = await alerts[0].findProblems()
      return found?.words.includes(database.name) ? found : undefined
    }
    return { database, fail, succeed, mails, problem }
  }

  test('after several failures, staff see an alert and the account gets one email, until a backup succeeds', async ({
    assert,
    cleanup,
  }) => {
    const { database, fail, succeed, mails, problem } = await makeShop()
    cleanup(async () => void (await database.merge({ status: 'deleted' }).save()))
    await succeed()
    for (let night = 1; night < FAILED_NIGHTLY_BACKUPS; night++) await fail()
    await mailFailingNightlyBackups()
    assert.isUndefined(await problem())
    assert.lengthOf(await mails(), 0)

    await fail()
    await mailFailingNightlyBackups()
    await fail()
    await mailFailingNightlyBackups()
    assert.equal(
      (await problem())!.words,
      `The nightly backups of database ${database.name} fail: ${REASON}`
    )
    const [mail, ...others] = await mails()
    assert.lengthOf(others, 0)
    assert.equal(mail.subject, 'Nightly backups of shop have stopped')
    assert.include(mail.text, REASON)
    assert.include(mail.text, `/database/mysql/${database.id}`)
    assert.match(mail.text, /Last complete nightly\s+backup:\s+20\d\d-/)

    await succeed()
    await mailFailingNightlyBackups()
    assert.isUndefined(await problem())
    assert.isNull((await database.refresh()).backupFailureMailedAt)
    for (let night = 1; night <= FAILED_NIGHTLY_BACKUPS; night++) await fail()
    await mailFailingNightlyBackups()
    assert.lengthOf(await mails(), 2)
  })
})
