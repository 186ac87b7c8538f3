import { MantineProvider } from '@mantine/core'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { List } from './list'
import { save } from './state'

const page = vi.hoisted(() => ({ url: '/project/list' }))
const router = vi.hoisted(() => ({ get: vi.fn(), visit: vi.fn() }))
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
  counts: { active: 600, deleted: 20 },
}

function show(part: Partial<typeof answer> = {}) {
  return render(
    <MantineProvider env="test">
      <List
        path="/project/list"
        storageKey="project-pagination"
        answer={{ ...answer, ...part }}
        label="Projects"
        all="All Projects"
        columns={[{ label: 'Name', cell: (row) => row.name }]}
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

it('offers the statuses of the server with counts, all of them first', async () => {
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

it('asks once for what was typed, and keeps focus', async () => {
  const user = userEvent.setup()
  show()
  const box = screen.getByLabelText('Search by name')
  await user.type(box, 'sho')
  await waitFor(() => expect(router.get).toHaveBeenCalled(), { timeout: 30_000 })
  expect(asked().at(-1)).toEqual([
    '/project/list',
    { page: 1, length: 50, status: '', search: 'sho' },
  ])
  expect(document.activeElement).toBe(box)
})

it('goes by keyboard from the search into the rows and opens one', async () => {
  const user = userEvent.setup()
  show()
  await user.click(screen.getByLabelText('Search by name'))
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}{ArrowDown}{Enter}')
  expect(router.visit).toHaveBeenCalledExactlyOnceWith('/project/2')
  expect(screen.getByRole('row', { name: 'blog' }).hasAttribute('data-struck')).toBe(true)
})

it('goes back to the state saved for this list', async () => {
  save('project-pagination', { page: 2, length: 100, status: 'active', searchText: 's' })
  show()
  await waitFor(() => expect(router.get).toHaveBeenCalled(), { timeout: 30_000 })
  expect(asked()).toEqual([
    ['/project/list', { page: 2, length: 100, status: 'active', search: 's' }],
  ])
  expect(screen.getByLabelText<HTMLInputElement>('Search by name').value).toBe('s')
})

it('follows the address where it says something, not what was saved', () => {
  save('project-pagination', { page: 2, length: 100, status: 'active', searchText: 's' })
  page.url = '/project/list?page=1&length=50&status=deleted&search='
  show()
  expect(router.get).not.toHaveBeenCalled()
  expect(screen.getByRole('button', { pressed: true }).textContent).toBe('Deleted20')
})

it('tells an empty list from one that only its filters empty', () => {
  const { unmount } = show({ rows: [], count: 0 })
  expect(screen.getByText('No projects yet')).toBeDefined()
  expect(screen.getByRole('status').textContent).toBe('Showing 0 to 0 of 0 records')
  unmount()
  page.url = '/project/list?status=deleted'
  show({ rows: [], count: 0 })
  expect(screen.getByText('Nothing matches')).toBeDefined()
})
