import type { DatabaseListPage, DatabasePage } from '#databases/transformers/page_props'
import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import {
  openBrowser,
  takeScreenshots,
  signInThroughPage,
  waitForToast,
} from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { mockPageResponses } from '#tests/support/mock_page_responses'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const server: DatabaseListPage['server'] = {
  server_instance_id: 3,
  name: 'web-1',
  status: 'running',
  problem: null,
  version: 'MongoDB 8.0.4',
  size_bytes: 180 * 1024 ** 2,
  free_bytes: 9 * 1024 ** 3,
  warning: null,
  actions: {
    install: 'The database server is already installed.',
    start: 'The database server is already running.',
    stop: null,
    restart: null,
    log: null,
  },
  operation: null,
}

const orders: DatabaseListPage['databases'][number] = {
  id: 9,
  name: 'orders',
  full_name: 'orders',
  size_bytes: 73_728,
  sizeOnDisk: 73_728,
  tables: 2,
  users: 1,
  last_backup_at: '2026-11-22T02:00:00.000Z',
  operation: null,
}

const users: DatabaseListPage['users'] = [
  {
    _id: 'orders.shop',
    user: 'shop',
    db: 'orders',
    roles: [{ role: 'readWrite', db: 'orders' }],
    access: 'write',
  },
]

const list: DatabaseListPage = {
  page: 1,
  length: 50,
  count: 1,
  counts: { '': 1 },
  apart: [],
  more: false,
  status: '',
  search: '',
  sort: '',
  filters: {},
  engine: 'mongodb',
  server,
  problem: null,
  droppedCopies: [],
  serverChoices: [{ id: 3, name: 'web-1', reason: null }],
  databases: [orders],
  users,
  uploadLimit: 5 * 1024 ** 3,
}

const details: DatabasePage = {
  engine: 'mongodb',
  server,
  database: { ...orders, created_at: '2026-11-20T02:00:00.000Z' },
  tables: [
    { name: 'orders', type: 'collection', rows: 1_200, size_bytes: 65_536 },
    { name: 'system.profile', type: 'collection', rows: 4, size_bytes: 8_192 },
  ],
  problem: null,
  users,
  backups: [],
  backupPlan: { nightly: true, keep: 7, days: 30, vault_id: null },
  copyPlaces: [],
  connections: [
    {
      label: 'Command line',
      text: 'mongosh "mongodb://shop:{password}@127.0.0.1:27017/orders?authSource=orders"',
    },
  ],
  projects: [],
  uploadLimit: 5 * 1024 ** 3,
}

async function openList(page: Page) {
  await page.getByRole('button', { name: 'Databases', exact: true }).click()
  await page.getByRole('link', { name: 'MongoDB', exact: true }).click()
  await page.getByRole('heading', { name: 'MongoDB', level: 1 }).waitFor()
}

/** Responses are mocked, because these tests have no mongod. The tests of the databases module use real databases. */
test.group('MongoDB', () => {
  test('databases and users are listed as specified, and a database can be created', async () => {
    const { page } = await openBrowser()
    try {
      await signInThroughPage(page, await makeCustomer())
      const heard = await mockPageResponses(page, {
        path: '/database/mongodb',
        component: 'customer/database/list',
        props: list,
        answers: {
          'POST /database/mongodb/store': ({ user_password: password }) =>
            /\d/.test(String(password))
              ? { body: { success: true, message: 'blog is being made.' } }
              : { status: 422, body: { success: false, message: '' } },
        },
      })
      await openList(page)
      const row = page.getByRole('table', { name: 'Databases' }).getByRole('row').nth(1)
      await row.getByText('72 KB').waitFor()
      const people = page.getByRole('table', { name: 'Users' })
      for (const head of ['user', 'db', 'roles']) {
        await people.getByRole('columnheader', { name: head, exact: true }).waitFor()
      }
      await people.getByText('readWrite').waitFor()
      await takeScreenshots(page, 'mongodb-list')

      await page.getByRole('button', { name: 'Add New' }).click()
      const form = page.getByRole('dialog', { name: 'Add new database' })
      await form.getByLabel('Database name').fill('My Blog')
      await form.getByLabel('Username').fill('blog')
      await form.getByLabel(/^Password/).fill('abcdefghij')
      await form.getByRole('button', { name: 'Create database' }).click()
      // The password hint is shown a second time, as the error.
      await form.getByText('Min 10 Character, 1 numeric').nth(1).waitFor()
      assert.equal(heard.length, 0)
      await takeScreenshots(page, 'mongodb-create', false)
      await assertAccessibleInBothColorSchemes(page, 'mongodb-create')
      await form.getByRole('button', { name: 'Generate' }).click()
      const password = await form.getByLabel(/^Password/).inputValue()
      await form.getByRole('button', { name: 'Create database' }).click()
      await form.getByText('Copy the password now').waitFor()
      await waitForToast(page, 'blog is being made.')
      assert.deepEqual(heard[0].sent, {
        database_name: 'my_blog',
        username: 'blog',
        user_password: password,
        server_instance_id: '3',
      })
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })

  test('an export asks for credentials, posts them, and explains a failure', async () => {
    const { page } = await openBrowser()
    try {
      await signInThroughPage(page, await makeCustomer())
      const heard = await mockPageResponses(page, {
        path: '/database/mongodb',
        component: 'customer/database/list',
        props: list,
        answers: {
          'POST /database/mongodb/export': () => ({
            status: 403,
            body: { success: false, message: 'Failed: sign in: Authentication failed.' },
          }),
        },
      })
      const seen: string[] = []
      page.on('request', (request) => seen.push(request.url()))
      await openList(page)
      await page.getByRole('button', { name: 'Actions for orders' }).click()
      await page.getByRole('menuitem', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export orders' })
      await dialog.getByLabel('Username').fill('shop')
      await dialog.getByLabel('Password', { exact: false }).first().fill('secret-words-1')
      await dialog.getByRole('button', { name: 'Export', exact: true }).click()
      await dialog.getByText('Failed to export database. Authentication failed.').waitFor()
      await takeScreenshots(page, 'mongodb-export-failed', false)
      assert.equal(heard[0].sent.user_password, 'secret-words-1')
      assert.deepEqual(
        seen.filter((url) => url.includes('secret-words')),
        []
      )
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })

  test('collections are opened and queried', async () => {
    const { page } = await openBrowser()
    const document = '{ "_id": { "$oid": "6563" }, "total": 12.5 }'
    try {
      await signInThroughPage(page, await makeCustomer())
      await mockPageResponses(page, {
        path: '/database/mongodb',
        component: 'customer/database/list',
        props: list,
      })
      await mockPageResponses(page, {
        path: '/database/mongodb/9',
        component: 'customer/database/details',
        props: details,
        answers: {
          'GET /database/mongodb/9/rows': () => ({
            body: {
              success: true,
              data: { columns: ['document'], rows: [[document]], more: false },
            },
          }),
          'POST /database/mongodb/9/query': () => ({
            status: 422,
            body: { success: false, message: 'unknown operator: $fnid' },
          }),
        },
      })
      await openList(page)
      await page.getByRole('link', { name: 'orders', exact: true }).click()
      await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Open orders' }).click()
      await page.getByTitle(document).waitFor()
      await takeScreenshots(page, 'mongodb-collection')
      await assertAccessibleInBothColorSchemes(page, 'mongodb-collection')
      await page.getByRole('tab', { name: 'Query' }).click()
      await page.getByRole('textbox', { name: 'Query' }).fill('{ "find": "orders" }')
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByRole('alert').getByText('unknown operator: $fnid').waitFor()
      await takeScreenshots(page, 'mongodb-query-failed')
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })
})
