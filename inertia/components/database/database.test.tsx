import { MantineProvider } from '@mantine/core'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { fillField } from '@ui/fill_field'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import DatabaseDetails from '~/pages/customer/database/details'
import Databases from '~/pages/customer/database/list'
import { backupContentsLabel } from './backup_contents_label'
import { toCsv } from './csv'
import { exportErrorMessage } from './download_file'
import { ResultGrid, columnWidths } from './result_grid'
import { passwordErrors, generatePassword } from './password_field'
import type { DatabaseListPage, DatabasePage, DatabaseRow, ServerView } from './types'

type Answer = Record<string, unknown>

const mocks = vi.hoisted(() => ({
  calls: [] as { path: string; data: unknown }[],
  toasts: [] as unknown[],
  answer: (_path: string): Answer => ({}),
  page: {
    url: '/database/mysql',
    props: { area: 'customer', user: null } as Record<string, unknown>,
  },
  router: {
    on: () => () => {},
    get: vi.fn(),
    push: vi.fn(),
    reload: vi.fn(),
    visit: vi.fn(),
  },
}))

vi.mock('@inertiajs/react', () => ({
  usePage: () => mocks.page,
  router: mocks.router,
  Head: () => null,
  Link: ({ href, children, title }: { href: string; children: string; title?: string }) => (
    <a href={href} title={title}>
      {children}
    </a>
  ),
}))
vi.mock('~/api_call', async (original) => ({
  ...(await original<typeof import('~/api_call')>()),
  call: async (path: string, { data, toasts }: { data?: unknown; toasts?: unknown } = {}) => {
    mocks.calls.push({ path, data })
    mocks.toasts.push(toasts)
    return { success: true, status: 200, message: '', errors: {}, ...mocks.answer(path) }
  },
}))
vi.mock('~/components/file_manager/text_editor', () => ({
  default: ({
    label,
    onChange,
    onRun,
  }: {
    label: string
    onChange: (text: string) => void
    onRun: () => void
  }) => (
    <textarea
      aria-label={label}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => event.ctrlKey && event.key === 'Enter' && onRun()}
    />
  ),
}))

const can = {
  install: 'The database server is already installed.',
  start: 'The database server is already running.',
  stop: null,
  restart: null,
  log: null,
}

const server: ServerView = {
  server_instance_id: 3,
  name: 'web-1',
  status: 'running',
  problem: null,
  version: 'MariaDB 11.8.3',
  size_bytes: 5 * 1024 ** 2,
  free_bytes: 4 * 1024 ** 3,
  warning: null,
  actions: can,
  operation: null,
}

const shop: DatabaseRow = {
  id: 9,
  name: 'shop',
  full_name: 'shop',
  size_bytes: 2 * 1024 ** 2,
  sizeOnDisk: null,
  tables: 4,
  users: 1,
  last_backup_at: null,
  operation: null,
}

const running: DatabaseRow['operation'] = {
  id: 'a',
  kind: 'database.import',
  title: 'Importing shop.sql into shop',
  subject: { type: 'database', id: '9' },
  status: 'running',
  cancel: 'no',
  steps: [{ key: 'read', label: 'Read the file', status: 'running', note: '1.2 MB of 3 MB' }],
  result: null,
  error: null,
  createdAt: null,
  endedAt: null,
}

const listFacts = {
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
}

const list: DatabaseListPage = {
  ...listFacts,
  engine: 'mysql',
  server,
  problem: null,
  serverChoices: [{ id: 3, name: 'web-1', reason: null }],
  databases: [shop],
  users: [{ User: 'shop', Host: 'localhost', Db: 'shop', access: 'all' }],
  droppedCopies: [],
  uploadLimit: 1024 ** 3,
}

const details: DatabasePage = {
  engine: 'mysql',
  server,
  database: { ...shop, created_at: '2026-11-22T01:00:00.000Z' },
  tables: [{ name: 'orders', type: 'table', rows: 1200, size_bytes: 16_384 }],
  problem: null,
  users: list.users,
  backups: [
    {
      id: 5,
      reason: 'asked',
      status: 'done',
      size_bytes: 900,
      contents: { tables: 4, rows: 1200, views: 0 },
      notes: ['The view orders_of_today is broken and was skipped: no column x.'],
      error: null,
      created_at: '2026-11-22T02:00:00.000Z',
      vault: { id: 3, state: 'sent', error: null },
    },
  ],
  backupPlan: { nightly: true, keep: 7, days: 30, vault_id: null },
  copyPlaces: [
    { id: 3, name: 'safe', problem: null },
    { id: 4, name: 'open', problem: 'This vault is public.' },
  ],
  connections: [{ label: 'Command line', text: 'mariadb -u shop -p{password} shop' }],
  projects: [{ id: 2, name: 'Shop' }],
  uploadLimit: 1024 ** 3,
}

function showList(part: Partial<DatabaseListPage> = {}) {
  const page = { ...list, ...part }
  mocks.page.url = `/database/${page.engine}`
  return render(
    <MantineProvider env="test">
      <Databases {...page} />
    </MantineProvider>
  )
}

function showDetails(tab: string, part: Partial<DatabasePage> = {}) {
  const page = { ...details, ...part }
  mocks.page.url = `/database/${page.engine}/9?tab=${tab}`
  return render(
    <MantineProvider env="test">
      <DatabaseDetails {...page} />
    </MantineProvider>
  )
}

const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }))
const pick = async (name: string | RegExp) =>
  userEvent.click(await screen.findByRole('menuitem', { name }))

beforeEach(() => {
  mocks.calls.length = 0
  mocks.answer = () => ({})
  for (const heard of Object.values(mocks.router)) if ('mockClear' in heard) heard.mockClear()
})

describe('Generated and typed passwords', () => {
  it('generated passwords satisfy the rules of both engines, and are unique', () => {
    const made = Array.from({ length: 50 }, generatePassword)
    expect(new Set(made).size).toBe(50)
    for (const password of made) {
      expect(password).toMatch(/^[A-Za-z0-9]{24}$/)
      for (const engine of ['mysql', 'mongodb'] as const) {
        const fields = new FormData()
        fields.set('user_password', password)
        expect(passwordErrors(engine, fields)).toEqual({})
      }
    }
  })

  it.each([
    ['mysql', 'abcdefghij1', 'Min 10 Character, 1 uppercase'],
    ['mysql', 'Abcdefghi', 'Min 10 Character, 1 uppercase'],
    ['mysql', 'Abcdefghij', null],
    ['mongodb', 'Abcdefghij', 'Min 10 Character, 1 numeric'],
    ['mongodb', 'abcdefghi1', null],
  ] as const)('rule of %s for the password %s', (engine, password, words) => {
    const fields = new FormData()
    fields.set('user_password', password)
    expect(passwordErrors(engine, fields)).toEqual(words ? { user_password: words } : {})
  })
})

describe('Downloads', () => {
  it('a CSV file distinguishes NULL from an empty text', () => {
    const rows = [
      ['1', null],
      ['a "b", c', ''],
      ['two\nlines', 'é'],
    ]
    expect(toCsv(['id', 'text'], rows)).toBe(
      'id,text\r\n1,\r\n"a ""b"", c",""\r\n"two\nlines",é\r\n'
    )
  })

  it.each([
    [
      'Failed: mongodump: Authentication failed.',
      'Failed to export database. Authentication failed.',
    ],
    ['{"success":false,"message":"Failed: code 1: no disk"}', 'Failed to export database. no disk'],
    ['{"success":false,"message":"There is no such database."}', 'There is no such database.'],
    ['<html>', 'Failed to download the file. Please try again.'],
  ])('the export error %s gets the specified message', (text, words) => {
    expect(exportErrorMessage(text)).toBe(words)
  })
})

describe('Database list', () => {
  it('shows the server’s version and status, and disables impossible actions with the reason', async () => {
    showList()
    screen.getByText('MariaDB 11.8.3')
    screen.getByText('Running')
    await press('MySQL server on web-1')
    const start = await screen.findByRole('menuitem', { name: /^Start/ })
    expect(start.getAttribute('aria-disabled')).toBe('true')
    expect(start.textContent).toContain('The database server is already running.')
    await userEvent.click(start)
    expect(mocks.calls).toEqual([])
    await pick('Restart')
    const dialog = await screen.findByRole('dialog', { name: 'Restart server' })
    await userEvent.click(within(dialog).getByRole('button', { name: 'Restart server' }))
    expect(mocks.calls).toEqual([
      { path: '/database/mysql/server', data: { action: 'restart', server_instance_id: '3' } },
    ])
  })

  it('has the specified columns of users', () => {
    showList()
    const heads = (label: string) =>
      within(screen.getByRole('table', { name: label }))
        .getAllByRole('columnheader')
        .map(({ textContent }) => textContent)
    expect(heads('Users').slice(0, 3)).toEqual(['User', 'Host', 'Db'])
  })

  it('shows sizes of MongoDB in KB, and the specified columns of users', () => {
    showList({
      engine: 'mongodb',
      databases: [{ ...shop, sizeOnDisk: 73_728 }],
      users: [
        {
          _id: 'shop.shop',
          user: 'shop',
          db: 'shop',
          roles: [{ role: 'readWrite', db: 'shop' }],
          access: 'write',
        },
      ],
    })
    screen.getByText('72 KB')
    const table = screen.getByRole('table', { name: 'Users' })
    const heads = within(table).getAllByRole('columnheader')
    expect(heads.slice(0, 3).map(({ textContent }) => textContent)).toEqual(['user', 'db', 'roles'])
    within(table).getByText('readWrite')
  })

  it('creates a database: normalizes names, rejects a weak password, and shows the new password once', async () => {
    showList()
    await press('Add New')
    const form = within(await screen.findByRole('dialog', { name: 'Add new database' }))
    fillField(form.getByLabelText(/^Database name/), 'My Shop!')
    fillField(form.getByLabelText(/^Username/), 'Shop-User')
    fillField(form.getByLabelText(/^Password/), 'short')
    await userEvent.click(form.getByRole('button', { name: 'Create database' }))
    expect(form.getByLabelText(/^Password/).getAttribute('aria-invalid')).toBe('true')
    expect(mocks.calls).toEqual([])
    await userEvent.click(form.getByRole('button', { name: 'Generate' }))
    const password = form.getByLabelText<HTMLInputElement>(/^Password/).value
    await userEvent.click(form.getByRole('button', { name: 'Create database' }))
    expect(mocks.calls).toEqual([
      {
        path: '/database/mysql/store',
        data: {
          database_name: 'my_shop',
          username: 'shop_user',
          user_password: password,
          server_instance_id: '3',
        },
      },
    ])
    await screen.findByText('Copy the password now')
    screen.getByText(password)
  })

  it('offers one next step if there is no database or no server', () => {
    const none = { databases: [], users: [], count: 0, counts: {} }
    const absent = { ...server, status: 'absent' as const, actions: { ...can, install: null } }
    const { unmount } = showList({ ...none, server: absent })
    screen.getByText(/MySQL is installed on web-1 with your first database/)
    unmount()
    showList({ ...none, server: null, problem: 'Order an instance first.' })
    screen.getByText('Order an instance first.')
    expect(screen.getByRole('link', { name: 'Server instances' }).getAttribute('href')).toBe(
      '/server-instance/list'
    )
  })

  it('disables actions on a database while an operation runs on it', async () => {
    showList({ databases: [{ ...shop, operation: running }] })
    screen.getByText('1.2 MB of 3 MB')
    await userEvent.click(screen.getAllByRole('button', { name: 'Actions for shop' })[0])
    const item = await screen.findByRole('menuitem', { name: /^Import/ })
    expect(item.textContent).toContain('Wait until this finishes: Importing shop.sql into shop.')
    await userEvent.click(item)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('changes a user’s access and password', async () => {
    showList()
    await press('Access of shop: Full access')
    await pick('Read only')
    const user = { username: 'shop', host: 'localhost', database_name: 'shop' }
    expect(mocks.calls.at(-1)).toEqual({
      path: '/database/mysql/user/access',
      data: { ...user, access: 'read', server_instance_id: '3' },
    })
    await userEvent.click(screen.getAllByRole('button', { name: 'Actions for shop' })[1])
    await pick('Change password')
    const form = within(await screen.findByRole('dialog', { name: /Change password of/ }))
    fillField(form.getByLabelText(/^New password/), 'Abcdefghij')
    await userEvent.click(form.getByRole('button', { name: 'Change password' }))
    expect(mocks.calls.at(-1)).toEqual({
      path: '/database/mysql/user/password',
      data: { ...user, user_password: 'Abcdefghij', server_instance_id: '3' },
    })
    await screen.findByText('Copy the password now')
  })
})

describe('Import of an uploaded file', () => {
  interface Sent {
    form: FormData
    request: FakeRequest
  }
  const sent: Sent[] = []
  class FakeRequest {
    upload: { onprogress?: (event: { loaded: number }) => void } = {}
    status = 200
    responseText = ''
    onload?: () => void
    onerror?: () => void
    abort = vi.fn()
    open() {}
    setRequestHeader() {}
    send(form: FormData) {
      sent.push({ form, request: this })
    }
    answer(status: number, body: object | string | null) {
      this.status = status
      this.responseText = typeof body === 'string' ? body : JSON.stringify(body)
      this.onload?.()
    }
  }

  beforeEach(() => {
    sent.length = 0
    vi.stubGlobal('XMLHttpRequest', FakeRequest)
  })

  const choose = async (name: string, part: Partial<DatabaseListPage> = {}) => {
    showList(part)
    await userEvent.click(screen.getAllByRole('button', { name: 'Actions for shop' })[0])
    await pick('Import')
    const dialog = await screen.findByRole('dialog', { name: 'Import into shop' })
    const input = dialog.querySelector<HTMLInputElement>('input[type="file"]')!
    fireEvent.change(input, { target: { files: [new File(['x'.repeat(2048)], name)] } })
    await userEvent.click(within(dialog).getByRole('button', { name: 'Import' }))
    return within(dialog)
  }

  it('rejects other file types with the specified messages', async () => {
    const dialog = await choose('holiday.jpg')
    await dialog.findByText('Please select a .sql file to import.')
    cleanup()
    const other = await choose('dump.tar', { engine: 'mongodb', users: [] })
    await other.findByText('Please select a .zip file to import.')
    expect(sent).toEqual([])
  })

  it('sends the fields before the file, and shows the progress, then the notes of the result', async () => {
    const dialog = await choose('shop.sql')
    const { form, request } = sent[0]
    expect([...form.keys()].at(-1)).toBe('file')
    expect(Object.fromEntries([...form].slice(0, -1))).toEqual({
      database_name: 'shop',
      server_instance_id: '3',
      mode: 'replace',
    })
    request.upload.onprogress?.({ loaded: 1024 })
    await dialog.findByText('1 KB of 2 KB uploaded')
    const over = {
      ...running,
      status: 'done',
      result: {
        notes: ['3 DEFINER clauses were taken out.'],
        before: { tables: 0 },
        after: { tables: 2, rows: 30 },
      },
    }
    request.answer(200, { success: true, message: 'Reading.', data: { operation: over } })
    await dialog.findByText('3 DEFINER clauses were taken out.')
    dialog.getByText('2 tables, 30 rows')
    dialog.getByRole('button', { name: 'Done' })
  })

  it('does not report success if a proxy answers instead of Berth', async () => {
    const dialog = await choose('shop.sql')
    for (const body of ['<html>Accept the terms</html>', null]) {
      sent.at(-1)!.request.answer(200, body)
      await dialog.findByText(/another server/)
      await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
    }
  })

  it('shows the reason of a failure, or the specified message if there is none', async () => {
    const dialog = await choose('shop.sql')
    sent[0].request.answer(500, {})
    await dialog.findByText('Import failed.')
    await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
    const failed = {
      ...running,
      status: 'failed',
      error: 'Line 7: You have an error in your SQL syntax',
      steps: [{ key: 'read', label: 'Read the file', status: 'failed' }],
    }
    sent[1].request.answer(200, { success: true, message: '', data: { operation: failed } })
    await dialog.findByText('Line 7: You have an error in your SQL syntax')
    dialog.getByText(/the database is unchanged/)
  })
})

describe('Import of a file on the instance', () => {
  const open = async (part: Partial<DatabaseListPage> = {}) => {
    showList(part)
    await userEvent.click(screen.getAllByRole('button', { name: 'Actions for shop' })[0])
    await pick('Import')
    return within(await screen.findByRole('dialog', { name: 'Import into shop' }))
  }

  it.each([
    ['mysql', 'backups/shop.sql', {}],
    ['mongodb', 'backups/shop.zip', { username: 'shop', user_password: 'abcdefghi1' }],
  ] as const)('sends the path of the file: %s', async (engine, path, account) => {
    const over = { ...running, status: 'done', result: { notes: [] } }
    mocks.answer = () => ({ data: { operation: over } })
    const dialog = await open({ engine, users: [] })
    await userEvent.click(dialog.getByRole('radio', { name: /^A file on the instance/ }))
    await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
    await dialog.findByText(/^Please select a /)
    expect(mocks.calls).toEqual([])
    fillField(dialog.getByLabelText(/^File path/), path)
    if (engine === 'mongodb') {
      fillField(dialog.getByLabelText(/^Username/), 'shop')
      fillField(dialog.getByLabelText(/^Password/), 'abcdefghi1')
    }
    await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
    await dialog.findByRole('button', { name: 'Done' })
    expect(mocks.calls[0]).toEqual({
      path: `/database/${engine}/import`,
      data: { database_name: 'shop', server_instance_id: '3', path, mode: 'replace', ...account },
    })
  })

  it('is suggested if a file exceeds the upload limit', async () => {
    const dialog = await open({ uploadLimit: 4 })
    const file = new File(['x'.repeat(2048)], 'shop.sql')
    fireEvent.change(document.querySelector('input[type="file"]')!, { target: { files: [file] } })
    await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
    await dialog.findByText(/choose “A file on the instance”/)
  })

  it('is disabled with a reason on a managed server', async () => {
    const dialog = await open({ server: { ...server, server_instance_id: null } })
    dialog.getByText('The managed database server can import only uploaded files.')
    const radio = dialog.getByRole<HTMLInputElement>('radio', { name: /^A file on the instance/ })
    expect(radio.disabled).toBe(true)
  })
})

describe('Backups of dropped databases', () => {
  it('can be restored under the same or another name, and deleted', async () => {
    const copy = { ...details.backups[0], database: 'old_shop', kept_until: '2026-12-22T02:00:00Z' }
    showList({ droppedCopies: [copy] })
    const part = within(screen.getByRole('region', { name: 'Backups of dropped databases' }))
    await userEvent.click(part.getByRole('button', { name: 'Actions for backup 5 of old_shop' }))
    await pick('Restore')
    const dialog = within(await screen.findByRole('dialog', { name: 'Restore old_shop' }))
    const name = dialog.getByLabelText<HTMLInputElement>(/^Database name/)
    expect(name.value).toBe('old_shop')
    fillField(name, 'old_shop_2')
    await userEvent.click(dialog.getByRole('button', { name: 'Restore' }))
    expect(mocks.calls).toEqual([
      {
        path: '/database/backup/restore',
        data: { id: 5, how: 'beside', database_name: 'old_shop_2', server_instance_id: 3 },
      },
    ])
  })

  it('can be downloaded, but not restored, without a server', async () => {
    const copy = { ...details.backups[0], database: 'old_shop', kept_until: '2026-12-22T02:00:00Z' }
    showList({ server: null, problem: 'There is no server.', droppedCopies: [copy] })
    await press(/^Actions for backup 5/)
    const restore = await screen.findByRole('menuitem', { name: /^Restore/ })
    expect(restore.hasAttribute('data-disabled')).toBe(true)
    screen.getByRole('menuitem', { name: 'Download' })
  })
})

describe('Export of MongoDB', () => {
  it('posts username and password, and shows the specified message after a failure', async () => {
    const fetched = vi.fn(async (_path: string, _init: RequestInit) =>
      Response.json({ success: false, message: 'Failed: auth: wrong password' }, { status: 422 })
    )
    vi.stubGlobal('fetch', fetched)
    showList({ engine: 'mongodb', users: [] })
    await press('Actions for shop')
    await pick('Export')
    const dialog = within(await screen.findByRole('dialog', { name: 'Export shop' }))
    fillField(dialog.getByLabelText(/^Username/), 'shop')
    fillField(dialog.getByLabelText(/^Password/), 'abcdefghi1')
    await userEvent.click(dialog.getByRole('button', { name: 'Export' }))
    await dialog.findByText('Failed to export database. wrong password')
    const [address, { method, body }] = fetched.mock.calls[0]
    expect([address, method]).toEqual(['/database/mongodb/export', 'POST'])
    expect(JSON.parse(String(body))).toEqual({
      database_name: 'shop',
      username: 'shop',
      user_password: 'abcdefghi1',
      server_instance_id: '3',
    })
    vi.unstubAllGlobals()
  })
})

describe('Export of MySQL', () => {
  it('shows notes about incomplete objects in the file', async () => {
    const notes = 'The view v is broken and was skipped: ভাষা.'
    const headers = {
      'Content-Disposition': 'attachment; filename="shop.sql"',
      'X-Berth-Notes': encodeURIComponent(JSON.stringify([notes])),
    }
    vi.stubGlobal('fetch', async () => new Response('-- Dump completed', { headers }))
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => '#', revokeObjectURL() {} }))
    showList()
    await userEvent.click(screen.getAllByRole('button', { name: 'Actions for shop' })[0])
    await pick('Export')
    const dialog = within(await screen.findByRole('dialog', { name: 'Export shop' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Export' }))
    await dialog.findByText(notes)
    dialog.getByRole('button', { name: 'Done' })
    vi.unstubAllGlobals()
  })
})

describe('Database page', () => {
  it('shows a table’s rows by page, NULL values and structure', async () => {
    mocks.answer = (path) => ({
      data: path.endsWith('/rows')
        ? { columns: ['id', 'note'], rows: [['1', null]], more: true, next: 'one' }
        : {
            columns: [
              {
                name: 'id',
                type: 'int(11)',
                nullable: false,
                key: 'PRI',
                default: null,
                extra: '',
              },
            ],
            indexes: [{ name: 'PRIMARY', columns: ['id'], unique: true }],
          },
    })
    showDetails('tables&table=orders')
    const grid = await screen.findByRole('table', { name: 'Rows of orders' })
    expect(within(grid).getByTitle('NULL').dataset.null).toBe('true')
    await press('Next')
    await waitFor(() =>
      expect(mocks.calls.at(-1)).toEqual({
        path: '/database/mysql/9/rows',
        data: { table: 'orders', page: 2, limit: 100, after: 'one' },
      })
    )
    await userEvent.click(screen.getByRole('radio', { name: 'Structure' }))
    await screen.findByRole('table', { name: 'Indexes of orders' })
    screen.getByText('int(11)')
  })

  it('runs a query by Ctrl+Enter, read-only by default, and shows errors below it', async () => {
    const answer = { columns: ['n'], rows: [['1']], more: false, changed: null, took: 12 }
    mocks.answer = () => ({ data: answer })
    showDetails('query')
    const box = await screen.findByRole('textbox', { name: 'Query' })
    fireEvent.change(box, { target: { value: 'SELECT 1 AS n' } })
    fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true })
    await screen.findByText(/^1 row · /)
    expect(mocks.calls.at(-1)).toMatchObject({
      path: '/database/mysql/9/query',
      data: { sql: 'SELECT 1 AS n', write: false, limit: 100 },
    })
    mocks.answer = () => ({ success: false, message: 'Unknown column "m"' })
    await userEvent.click(screen.getByRole('switch', { name: 'Read-only' }))
    await press('Run')
    expect((await screen.findByText('Unknown column "m"')).closest('[role=alert]')).toBeTruthy()
    expect(mocks.calls.at(-1)).toMatchObject({ data: { write: true } })
    expect(screen.queryByText(/^1 row · /)).toBeNull()
  })

  it('restores a backup as a new database, or replaces the open database after its name was typed', async () => {
    showDetails('backups')
    screen.getByText('4 tables, 1,200 rows')
    screen.getByText(/^The view orders_of_today is broken and was skipped/)
    await press('Actions for backup 5')
    await pick('Restore')
    const dialog = within(await screen.findByRole('dialog', { name: 'Restore shop' }))
    await userEvent.click(dialog.getByRole('radio', { name: /^This database/ }))
    await userEvent.click(dialog.getByRole('button', { name: 'Replace database' }))
    await dialog.findByText('This does not match the database name.')
    expect(mocks.calls).toEqual([])
    fillField(dialog.getByLabelText(/to confirm$/), 'shop')
    await userEvent.click(dialog.getByRole('button', { name: 'Replace database' }))
    expect(mocks.calls.at(-1)!.path).toBe('/database/backup/restore')
  })

  it('shows which vault has a copy, and disables unsuitable vaults in the schedule', async () => {
    showDetails('backups')
    screen.getByText('Copied: safe')
    const select = screen.getByRole('combobox', { name: 'Also copy to a vault' })
    const open = screen.getByRole('option', { name: 'open: This vault is public.' })
    expect((open as HTMLOptionElement).disabled).toBe(true)
    await userEvent.selectOptions(select, 'safe')
    await press('Save schedule')
    expect(mocks.calls.at(-1)).toMatchObject({
      path: '/database/backup/plan',
      data: { database_id: 9, nightly: true, keep: 7, days: 30, vault_id: 3 },
    })
  })

  it('drops the database only after its name was typed, and offers an export first', async () => {
    showDetails('tables')
    await press('Drop')
    const dialog = within(await screen.findByRole('dialog', { name: 'Drop shop' }))
    dialog.getByText('All data in the database: 4 tables, 2 MB')
    dialog.getByRole('button', { name: 'Export it first' })
    await userEvent.click(dialog.getByRole('button', { name: 'Drop database' }))
    await dialog.findByText('This does not match the database name.')
    expect(mocks.calls).toEqual([])
    fillField(dialog.getByLabelText(/to confirm$/), 'shop')
    await userEvent.click(dialog.getByRole('button', { name: 'Drop database' }))
    expect(mocks.calls.at(-1)).toEqual({
      path: '/database/mysql/drop',
      data: { id: 9, name: 'shop' },
    })
    await waitFor(() => expect(mocks.router.visit).toHaveBeenCalled())
  })

  it('adds the connection’s variables to a project’s environment', async () => {
    showDetails('connect')
    screen.getByText('mariadb -u shop -p{password} shop')
    fillField(screen.getByLabelText(/^Password/), 'Abcdefghij')
    await press('Add to environment')
    expect(mocks.calls.at(-1)).toEqual({
      path: '/database/mysql/project',
      data: {
        server_instance_id: '3',
        database_name: 'shop',
        project_id: 2,
        username: 'shop',
        user_password: 'Abcdefghij',
      },
    })
  })
})

describe('Result grid', () => {
  it('renders only visible rows of five thousand, and limits the width of columns', () => {
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
    const rows = Array.from({ length: 5000 }, (_, at) => [String(at), 'x'.repeat(900)])
    render(
      <MantineProvider env="test">
        <ResultGrid label="Rows" answer={{ columns: ['id', 'text'], rows }} first={101} />
      </MantineProvider>
    )
    expect(screen.getAllByRole('row').length).toBeLessThan(100)
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('5001')
    expect(columnWidths({ columns: ['id', 'text'], rows })).toEqual([6, 40])
    screen.getByText('101')
  })
})

it('a backup’s contents are shown as numbers of tables, rows and views', () => {
  expect(backupContentsLabel({ tables: 2, rows: 5000, views: 0 })).toBe('2 tables, 5,000 rows')
  expect(backupContentsLabel({ rows: 1, tables: 1, views: 2 })).toBe('1 table, 1 row, 2 views')
  expect(backupContentsLabel(null)).toBe('-')
})
