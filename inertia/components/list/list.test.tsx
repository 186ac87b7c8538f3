import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { call } from '~/api_call'
import { List } from './list'
import { saveListState } from './list_state'

const page = vi.hoisted(() => ({ url: '/project/list', props: { area: 'customer', user: null } }))
type Visited = (event: { detail: { visit: { url: URL } } }) => void
const heard = vi.hoisted((): Visited[] => [])
const router = vi.hoisted(() => ({
  get: vi.fn(),
  visit: vi.fn(),
  on: (name: string, listener: Visited) => {
    if (name === 'before') heard.push(listener)
    return () => {}
  },
}))
vi.mock('@inertiajs/react', () => ({ usePage: () => page, router }))

const answer = {
  page: 1,
  length: 50,
  count: 620,
  rows: [
    { id: 1, name: 'shop' },
    { id: 2, name: 'blog' },
  ],
  statuses: { active: 'Active', deleted: 'Deleted' },
  counts: { active: 600, deleted: 20 } as Record<string, number> | null,
  apart: [] as string[],
  more: false,
  status: '',
  search: '',
  sort: '',
  filters: {} as Record<string, string>,
}

const saved = { sort: '', filters: {} }
const options = [{ value: '7', label: 'Ada' }]

function show(part: Partial<typeof answer> = {}) {
  return render(
    <MantineProvider env="test">
      <List
        path="/project/list"
        name="project"
        answer={{ ...answer, ...part }}
        label="Projects"
        all="All Projects"
        columns={[{ label: 'Name', sort: 'name', cell: (row) => row.name }]}
        details={(row) => `All about ${row.name}`}
        filters={[{ kind: 'choice', name: 'who', label: 'Who', all: 'Everybody', options }]}
        rowKey={(row) => row.id}
        rowHref={(row) => `/project/${row.id}`}
        struck={(row) => row.id === 2}
        empty={{ title: 'No projects yet' }}
      />
    </MantineProvider>
  )
}

const asked = () => router.get.mock.calls.map(([path, query]) => [path, query])

beforeEach(() => {
  page.url = '/project/list'
  router.get.mockReset()
  router.visit.mockReset()
})

it('the list shows the server’s statuses with counts, and all rows first', async () => {
  const user = userEvent.setup()
  show()
  const names = screen
    .getAllByRole('button', { pressed: false })
    .map((button) => button.textContent)
  expect(screen.getByRole('button', { pressed: true }).textContent).toBe('All Projects620')
  expect(names).toEqual(['Active600', 'Deleted20'])
  expect(screen.getByRole('status').textContent).toBe('Showing 1 to 2 of 620 records')

  await user.click(screen.getByRole('button', { name: /Active/ }))
  expect(asked()).toEqual([
    ['/project/list', { page: 1, length: 50, status: 'active', search: '' }],
  ])
  expect(router.get.mock.calls[0][2]).toMatchObject({ preserveState: true, preserveScroll: true })
})

it('the list shows "1,000+" for an incomplete count, and omits unknown counts', () => {
  show({ count: 1000, more: true, counts: null })
  expect(screen.getByRole('status').textContent).toBe('Showing 1 to 2 of 1,000+ records')
  expect(screen.getByRole('button', { pressed: true }).textContent).toBe('All Projects')
})

it('the list sends one search for typed text, and keeps the focus', async () => {
  const user = userEvent.setup()
  show()
  const box = screen.getByLabelText('Search by name')
  await user.type(box, 'sho')
  await waitFor(() =>
    expect(asked().at(-1)).toEqual([
      '/project/list',
      { page: 1, length: 50, status: '', search: 'sho' },
    ])
  )
  expect(document.activeElement).toBe(box)
})

it('arrow keys move from the search box into the rows, and Enter opens one', async () => {
  const user = userEvent.setup()
  show()
  await user.click(screen.getByLabelText('Search by name'))
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}{ArrowDown}{Enter}')
  expect(router.visit).toHaveBeenCalledExactlyOnceWith('/project/2')
  expect(screen.getByText('All about blog')).toBeDefined()
  expect(screen.getByRole('row', { name: 'blog' }).hasAttribute('data-struck')).toBe(true)
})

it('a pending search is dropped when the person leaves the page', async () => {
  show()
  // Sets the text by one event. On a slow machine, typed letters may arrive at longer intervals than the list waits.
  fireEvent.change(screen.getByLabelText('Search by name'), { target: { value: 'shop' } })
  const url = new URL('http://page/project/1')
  for (const listener of heard) listener({ detail: { visit: { url } } })
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(router.get).not.toHaveBeenCalled()
})

it('the list restores its saved state', async () => {
  saveListState('project-pagination', {
    ...saved,
    page: 2,
    length: 100,
    status: 'active',
    searchText: 's',
  })
  show()
  await waitFor(() => expect(router.get).toHaveBeenCalled())
  expect(asked()).toEqual([
    ['/project/list', { page: 2, length: 100, status: 'active', search: 's' }],
  ])
})

it('URL parameters take precedence over the saved state', () => {
  saveListState('project-pagination', {
    ...saved,
    page: 2,
    length: 100,
    status: 'active',
    searchText: 's',
  })
  page.url = '/project/list?page=1&length=50&status=deleted&search='
  show({ status: 'deleted' })
  expect(router.get).not.toHaveBeenCalled()
  expect(screen.getByRole('button', { pressed: true }).textContent).toBe('Deleted20')
})

it('an empty list has another text than a list without matches', () => {
  const { unmount } = show({ rows: [], count: 0 })
  expect(screen.getByText('No projects yet')).toBeDefined()
  expect(screen.getByRole('status').textContent).toBe('Showing 0 to 0 of 0 records')
  unmount()
  page.url = '/project/list?status=deleted'
  show({ rows: [], count: 0, status: 'deleted' })
  expect(screen.getByText('No results')).toBeDefined()
})

it('each page, filter and sort order adds a history entry, and a typed search adds one, not one per letter', async () => {
  const user = userEvent.setup()
  show()
  const steps = () => router.get.mock.calls.map(([, , { replace }]) => !replace)
  await user.click(screen.getByRole('button', { name: 'Page 2' }))
  await user.click(screen.getByRole('button', { name: /Active/ }))
  await user.click(screen.getByRole('button', { name: /Name/ }))
  expect(steps()).toEqual([true, true, true])
  const box = screen.getByLabelText('Search by name')
  await user.type(box, 's')
  await waitFor(() => expect(steps()).toHaveLength(4))
  await user.type(box, 'h')
  await waitFor(() => expect(steps()).toHaveLength(5))
  expect(steps().slice(3)).toEqual([true, false])
})

it('a column header sorts ascending, then descending, then by default', async () => {
  const user = userEvent.setup()
  const { unmount } = show()
  expect(screen.getByRole('columnheader', { name: /Name/ }).ariaSort).toBe('none')
  await user.click(screen.getByRole('button', { name: /Name/ }))
  expect(asked().at(-1)![1]).toMatchObject({ sort: 'name', page: 1 })
  unmount()
  show({ sort: '-name' })
  expect(screen.getByRole('columnheader', { name: /Name/ }).ariaSort).toBe('descending')
  await user.click(screen.getByRole('button', { name: /Name/ }))
  expect(asked().at(-1)![1]).not.toHaveProperty('sort')
})

it('additional filters become URL parameters', async () => {
  const user = userEvent.setup()
  show()
  await user.selectOptions(screen.getByLabelText('Who'), 'Ada')
  expect(asked().at(-1)![1]).toMatchObject({ who: '7', page: 1 })
})

it('after a record is created, the list removes its filters, so that the record is shown', async () => {
  page.url = '/project/list?status=deleted&page=1'
  show({ status: 'deleted', search: 'old', filters: { who: '7' } })
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ success: true, message: 'Made.' }, { status: 202 }))
  )
  await call('/project/update', { data: {}, toasts: 'none' })
  expect(router.get).not.toHaveBeenCalled()
  await call('/project/store', { data: {}, toasts: 'none' })
  vi.unstubAllGlobals()
  expect(asked()).toEqual([['/project/list', { page: 1, length: 50, status: '', search: '' }]])
})

it('the total omits statuses that only their own filter shows', () => {
  show({ apart: ['deleted'] })
  expect(screen.getByRole('button', { pressed: true }).textContent).toBe('All Projects600')
})
