/// <reference lib="dom" />
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import Database from '#databases/models/database'
import { accountPrefix } from '#databases/servers/resolve_database_server'
import { waitForToast, visit } from '#tests/support/browser'
import { ensureFerretdb, startFerretdb } from '#tests/support/ferretdb'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import { startFerretdbRoleRemovingProxy } from '#tests/support/ferretdb_role_removing_proxy'
import { readZip, createZip } from '#tests/support/zips'
import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import { BSON, MongoClient } from 'mongodb'
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import type { Page } from 'playwright-core'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const DATABASE_PASSWORD = 'Quay-at-low-tide'
const dump = (word: string) => `CREATE TABLE boats (id INT PRIMARY KEY, name TEXT);
INSERT INTO boats VALUES (1, '${word}');
-- Dump completed
`

/** Runs an operation that a request started, until it ends. */
async function done(id: unknown): Promise<Operation> {
  await runSteps(String(id))
  return Operation.findOrFail(String(id))
}

test.group('MySQL pages of a customer', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let mariadb: Mariadb

  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })

  const importing = (visitor: Visitor, file: string, text: string) => {
    const form = new FormData()
    form.append('database_name', 'quay')
    form.append('file', new Blob([text]), file)
    return visitor.post('/database/mysql/import?database_name=quay', form)
  }
  const listed = async (page: Page, label: string) => {
    const heads = await page
      .getByRole('table', { name: label })
      .getByRole('columnheader')
      .allInnerTexts()
    return heads.map((head) => head.replace(/[↑↓↕]/g, '').trim())
  }

  proves(['C2.59', 'C5.5', 'C5.11', 'C5.12', 'C5.14', 'C7.44'], async () => {
    const { page, person } = stage
    await visit(page, '/database/mysql')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new database' })
    for (const label of [/^Database name/, /^Username/, /^Password/]) {
      assert.equal(await form.getByLabel(label).first().getAttribute('required'), '', String(label))
    }
    await form.getByLabel(/^Database name/).fill('My Quay!')
    await form.getByLabel(/^Username/).fill('Quay-User')
    assert.equal(await form.getByLabel(/^Database name/).inputValue(), 'my_quay')
    await form.getByLabel(/^Database name/).fill('quay')
    const asked: unknown[] = []
    page.on('request', (one) => {
      if (one.url().endsWith('/store')) asked.push(one.postDataJSON())
    })
    const hint = 'Min 10 Character, 1 uppercase'
    assert.equal(await form.getByText(hint).count(), 1)
    await form
      .getByLabel(/^Password/)
      .first()
      .fill('no-capital-at-all')
    await form.getByRole('button', { name: 'Create database' }).click()
    await form.getByText(hint).nth(1).waitFor()
    assert.deepEqual(asked, [])
    await form
      .getByLabel(/^Password/)
      .first()
      .fill(DATABASE_PASSWORD)
    const answered = page.waitForResponse('**/database/mysql/store')
    await form.getByRole('button', { name: 'Create database' }).click()
    const { data } = (await (await answered).json()) as { data: Record<string, unknown> }
    const {
      database_name: name,
      username,
      user_password: password,
    } = asked[0] as Record<string, unknown>
    assert.deepEqual([name, username, password], ['quay', 'quay_user', DATABASE_PASSWORD])
    assert.equal((await done(data.operation_id)).status, 'done')
    const visitor = await signIn(person)
    const wrong = async (more: object) => {
      const body = {
        database_name: 'other',
        username: 'other',
        user_password: DATABASE_PASSWORD,
        ...more,
      }
      const { status, json } = await visitor.post('/database/mysql/store', body)
      assert.equal(status, 422)
      return Object.keys(json.errors!)
    }
    for (const field of ['database_name', 'username', 'user_password']) {
      assert.deepEqual(await wrong({ [field]: '' }), [field])
    }
    for (const weak of ['Short-9ab', 'no-capital-at-all']) {
      assert.deepEqual(await wrong({ user_password: weak }), ['user_password'])
    }
  })

  proves(['C1.6', 'C2.60', 'C2.61', 'C3.17', 'C7.45', 'C7.46'], async () => {
    const { page, person } = stage
    const visitor = await signIn(person)
    await visit(page, '/database/mysql')
    await page.getByRole('link', { name: 'quay', exact: true }).waitFor()
    assert.ok((await listed(page, 'Databases')).includes('Name'))
    assert.deepEqual((await listed(page, 'Users')).slice(0, 3), ['User', 'Host', 'Db'])
    const user = await page
      .getByRole('table', { name: 'Users' })
      .getByRole('row')
      .nth(1)
      .innerText()
    assert.match(user, /quay_user\s+%\s+quay/)
    const { json } = await visitor.page('/database/mysql')
    const [database] = json.props!.databases as Record<string, unknown>[]
    const [{ User, Host, Db }] = json.props!.users as Record<string, unknown>[]
    assert.deepEqual([database.name, User, Host, Db], ['quay', 'quay_user', '%', 'quay'])

    const began = await importing(visitor, 'boats.sql', dump('heron'))
    assert.equal(began.status, 202, began.text)
    assert.equal(typeof began.json.message, 'string')
    const { status, error } = await done((began.json.data!.operation as { id: string }).id)
    assert.equal(status, 'done', error ?? '')
    const sent = await visitor.get('/database/mysql/export?database_name=quay')
    assert.equal(sent.status, 200)
    assert.match(sent.headers.get('content-disposition')!, /\.sql"?/)
    assert.ok(sent.text.includes('heron') && sent.text.includes('CREATE TABLE `boats`'))
    await page.getByRole('button', { name: 'Actions for quay', exact: true }).click()
    for (const action of ['Import', 'Export']) {
      await page.getByRole('menuitem', { name: action, exact: true }).waitFor()
    }
  })

  proves('C8.10', async () => {
    const { page, context } = stage
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await visit(page, '/database/mysql')
    await page.getByRole('link', { name: 'quay', exact: true }).click()
    await page.getByRole('tab', { name: 'Connect' }).click()
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    await waitForToast(page, /^Copied$/)
  })
})

/** Reason why FerretDB (which replaces MongoDB here) cannot be used; empty if it can. */
const reason = await ensureFerretdb().then(
  () => '',
  (error: Error) => error.message
)

test.group('MongoDB requests over HTTP', (group) => {
  const [username, password] = ['quay_user', DATABASE_PASSWORD]
  let client: MongoClient

  if (reason) {
    test('skipped without FerretDB', () => {}).skip(true, reason)
    return
  }

  group.setup(async () => {
    const ferretdb = await startFerretdb('berth')
    const way = await startFerretdbRoleRemovingProxy(ferretdb.url)
    const undo = overrideSettings({ MONGODB_URL: new Secret(way.url) })
    client = await MongoClient.connect(ferretdb.url)
    return async () => {
      await client.close()
      undo()
      await way.stop()
      await ferretdb.stop()
    }
  })

  proves(['C2.63', 'C7.42', 'C7.43'], async () => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const name = `${accountPrefix(customer.id)}quay`
    await Database.create({
      accountId: customer.id,
      serverInstanceId: null,
      engine: 'mongodb' as const,
      name,
      status: 'active' as const,
    })
    await client.db(name).command({ createUser: username, pwd: password, roles: [] })
    const boats = Buffer.concat(
      ['heron', 'egret'].map((word, id) => BSON.serialize({ _id: id, name: word }))
    )
    const importing = (more: object) => {
      const form = new FormData()
      const fields = { database_name: 'quay', username, user_password: password, ...more }
      for (const [key, value] of Object.entries(fields)) form.append(key, value)
      form.append(
        'file',
        new Blob([new Uint8Array(createZip({ 'dump/boats.bson': boats }))]),
        'd.zip'
      )
      return visitor.post('/database/mongodb/import', form)
    }
    const refused = await importing({ user_password: 'Another-word-1' })
    assert.deepEqual([refused.status, refused.json.success], [403, false])
    const began = await importing({})
    assert.deepEqual([began.status, began.json.success], [202, true], began.text)
    assert.equal(typeof began.json.message, 'string')
    const { status, error } = await done((began.json.data!.operation as { id: string }).id)
    assert.equal(status, 'done', error ?? '')
    const documents = await client.db(name).collection('boats').find().sort({ _id: 1 }).toArray()
    assert.deepEqual(
      documents.map((one) => one.name as string),
      ['heron', 'egret']
    )

    const exported = (word: string) => {
      const query = { database_name: 'quay', username, user_password: word }
      return visitor.fetch(`/database/mongodb/export?${new URLSearchParams(query)}`)
    }
    assert.equal((await exported('Another-word-1')).status, 403)
    const answer = await exported(password)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'application/zip')
    const files = await readZip(Buffer.from(await answer.arrayBuffer()))
    assert.deepEqual(files.get('quay/boats.bson'), boats)
  })
})
