import { beforeEach, expect, it, vi } from 'vitest'
import { MantineProvider } from '@mantine/core'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { fillField } from '@ui/fill_field'
import { allowedActions, NodeProcesses, formatUptime } from './node_processes'
import type { NodeProcess, ProjectView } from './types'

const mocks = vi.hoisted(() => ({
  calls: [] as { path: string; data: unknown }[],
  toasts: [] as unknown[],
  answer: (_path: string): unknown => ({}),
}))

vi.mock('@inertiajs/react', () => ({ router: { reload: vi.fn() } }))
vi.mock('~/api_call', () => ({
  call: async (path: string, { data, toasts }: { data?: unknown; toasts?: unknown }) => {
    mocks.calls.push({ path, data })
    mocks.toasts.push(toasts)
    return {
      success: true,
      status: 200,
      message: '',
      errors: {},
      ...(mocks.answer(path) as object),
    }
  },
}))

const project = {
  id: 7,
  name: 'shop',
  path: 'shop',
  stack: 'node',
  server_instance_id: 3,
  server_instance: { name: 'web-1' },
} as ProjectView

const looping: NodeProcess = {
  pm_id: 0,
  name: 'shop',
  pid: 0,
  monit: { cpu: 0, memory: 0 },
  pm2_env: { status: 'restarting', restart_time: 15, uptime: 2 },
  trouble: {
    words: 'It ended 15 times, the last time with code 1.',
    next: 'Fix the errors in its last log lines, then press Restart.',
    lines: ['Error: DATABASE_URL is not set'],
  },
}

beforeEach(() => {
  mocks.calls.length = 0
  mocks.answer = (path) => {
    if (path.includes('/list')) return { data: { processes: [looping], note: null } }
    if (path.endsWith('/reveal')) return { data: { value: 'correct-horse' } }
    return { data: { variables: ['DATABASE_URL'] } }
  }
})

/** Calls without data are polls, which the list sends every few seconds. */
const lastSent = () => mocks.calls.findLast(({ data }) => data !== undefined)

function show(barred: string | null = null) {
  render(
    <MantineProvider>
      <NodeProcesses project={project} webRoot="/srv/www" prefix="" barred={barred} />
    </MantineProvider>
  )
}

it('each status has its allowed actions', () => {
  expect(allowedActions('online')).toEqual(['restart', 'stop'])
  expect(allowedActions('stopped')).toEqual(['start', 'delete'])
  expect(allowedActions('restarting')).toEqual(['restart', 'stop', 'delete'])
  expect(allowedActions('errored')).toEqual(['restart', 'stop', 'delete'])
  expect(allowedActions('launching')).toEqual([])
})

it('uptime is formatted with two units', () => {
  const texts = [null, 4, 720, 11_100, 187_200].map(formatUptime)
  expect(texts).toEqual(['-', '4 s', '12 min', '3 h 5 min', '2 d 4 h'])
})

it('a process in a crash loop has a warning colour, with the reason and last lines', async () => {
  show()
  const row = (await screen.findAllByRole('row')).at(-1)!
  expect(within(row).getByText('Restarting').dataset.tone).toBe('loss')
  within(row).getByText('15')
  for (const name of ['Restart shop', 'Stop shop', 'Delete shop']) {
    within(row).getByRole('button', { name })
  }
  screen.getByText(/It ended 15 times/)
  expect(screen.getByLabelText('Last lines of shop').textContent).toContain(
    'DATABASE_URL is not set'
  )
})

it('values of variables are hidden until requested, and only typed values are sent', async () => {
  const person = userEvent.setup()
  show()
  const value = await screen.findByLabelText<HTMLTextAreaElement>('Value of DATABASE_URL')
  expect(value.value).toBe('')
  await person.click(screen.getByRole('button', { name: 'Add variable' }))
  fillField(screen.getByLabelText('Name of variable 2'), 'TOKEN')
  fillField(screen.getByLabelText('Value of TOKEN'), 'x=1')
  await person.click(screen.getByRole('button', { name: 'Save variables' }))
  expect(lastSent()).toEqual({
    path: '/project/pm2/environment',
    data: {
      project_id: 7,
      variables: [{ name: 'DATABASE_URL' }, { name: 'TOKEN', value: 'x=1' }],
    },
  })
  await person.click(screen.getByRole('button', { name: 'Show DATABASE_URL' }))
  await screen.findByDisplayValue('correct-horse')
  await person.click(screen.getByRole('button', { name: 'Paste .env' }))
  fillField(screen.getByLabelText('Lines of a .env file'), 'A=1')
  await person.click(screen.getByRole('button', { name: 'Save pasted lines' }))
  expect(lastSent()!.data).toEqual({ project_id: 7, dotenv: 'A=1', replace: false })
  await person.click(screen.getByRole('button', { name: 'Paste .env' }))
  fillField(screen.getByLabelText('Lines of a .env file'), 'B=1')
  await person.click(screen.getByRole('radio', { name: 'Replace all' }))
  await person.click(screen.getByRole('button', { name: 'Save pasted lines' }))
  expect(lastSent()!.data).toEqual({ project_id: 7, dotenv: 'B=1', replace: true })
})

it('errors of variables appear once, at the variable or above the buttons', async () => {
  const person = userEvent.setup()
  show()
  await screen.findByLabelText('Value of DATABASE_URL')
  await person.click(screen.getByRole('button', { name: 'Add variable' }))
  const refuse = async (errors: Record<string, string[]>) => {
    mocks.answer = () => ({ success: false, status: 422, message: 'Not saved.', errors })
    await person.click(screen.getByRole('button', { name: 'Save variables' }))
  }
  await refuse({ 'variables.1': ['Give it a name.'] })
  const name = await screen.findByLabelText('Name of variable 2')
  await screen.findByText('Give it a name.')
  expect(name.getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(name)
  expect(screen.queryByText('Not saved.')).toBeNull()
  await refuse({})
  expect((await screen.findByText('Not saved.')).closest('[role=alert]')).toBeTruthy()
  expect(mocks.toasts.slice(-2)).toEqual(['successes', 'successes'])
})

it('Restart without apps asks for confirmation, then restarts the instance', async () => {
  const person = userEvent.setup()
  show()
  await person.click(screen.getByRole('button', { name: 'Restart without apps' }))
  const dialog = await screen.findByRole('dialog', { name: 'Restart without apps' })
  expect(dialog.textContent).toContain('Sure to restart server instance (web-1) without its apps?')
  await person.click(within(dialog).getByRole('button', { name: 'Restart without apps' }))
  expect(lastSent()).toEqual({
    path: '/server-instance/restart-without-apps',
    data: { id: 3 },
  })
})

it('buttons are disabled with the reason', async () => {
  show('Its server instance is not active.')
  const button = await screen.findByRole('button', { name: 'Restart without apps' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  expect(button.getAttribute('aria-description')).toBe('Its server instance is not active.')
})
