import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MantineProvider } from '@mantine/core'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { fillField } from '@ui/fill_field'
import { branchActions, branchesFromGitInfo } from './branches'
import {
  assignCloneError,
  validateClone,
  cloneRequestData,
  normalizeDirectory,
  isSshRepository,
} from './clone_values'
import { GitControls } from './git_controls'
import type { GitInfo } from './types'

const mocks = vi.hoisted(() => ({
  calls: [] as { path: string; data: unknown }[],
  answer: (_path: string): unknown => ({}),
}))

vi.mock('@inertiajs/react', () => ({
  router: { reload: vi.fn() },
  usePage: () => ({ props: { area: 'customer', user: null } }),
}))
vi.mock('~/api_call', () => ({
  call: async (path: string, { data }: { data: unknown }) => {
    mocks.calls.push({ path, data })
    return {
      success: true,
      status: 200,
      message: '',
      errors: {},
      ...(mocks.answer(path) as object),
    }
  },
}))
vi.stubGlobal(
  'EventSource',
  class {
    close() {}
  }
)

const git: GitInfo = {
  path: 'shop',
  branches: {
    current: 'main',
    locals: ['feature', 'main'],
    remotes: { origin: ['main', 'far'] },
  },
  detached: false,
  unborn: false,
  merging: false,
}
const place = { path: 'shop', server_instance_id: 7, project_id: 3 }

function open(onChange = vi.fn()) {
  render(
    <MantineProvider env="test">
      <GitControls path="shop" serverInstanceId={7} projectId={3} onChange={onChange} />
    </MantineProvider>
  )
  return onChange
}

beforeEach(() => {
  mocks.calls = []
})

describe('Branches', () => {
  it('start with the current branch and end with remote ones', () => {
    expect(branchesFromGitInfo(git).map(({ name }) => name)).toEqual([
      'main',
      'feature',
      'origin/main',
      'origin/far',
    ])
  })

  it('have the actions of the specification', () => {
    const of = (name: string) =>
      branchActions(branchesFromGitInfo(git).find((branch) => branch.name === name)!).map(
        ({ action, reason }) => `${action}${reason ? '!' : ''}`
      )
    expect(of('main')).toEqual(['checkout!', 'delete!'])
    expect(of('feature')).toEqual(['checkout', 'merge', 'pull', 'delete'])
    expect(of('origin/far')).toEqual(['checkout', 'merge', 'pull'])
    const during = branchActions(branchesFromGitInfo(git)[1], true)
    expect(during.map(({ reason }) => reason !== null)).toEqual([true, true, true, false])
  })
})

describe('The clone form', () => {
  it('requires the link, and a user name only with a password', () => {
    const values = { repository: '', username: '', password: '', directory: '' }
    expect(Object.keys(validateClone(values))).toEqual(['repository'])
    expect(Object.keys(validateClone({ ...values, repository: 'ext::x' }))).toEqual(['repository'])
    const link = { ...values, repository: 'https://example.com/a.git' }
    expect(validateClone(link)).toEqual({})
    expect(cloneRequestData({ ...link, username: 'a' })).not.toHaveProperty('username')
    expect(Object.keys(validateClone({ ...link, password: 'b' }))).toEqual(['username'])
    const asked = 'The git server asks for a user name and password: the repository is private.'
    expect(assignCloneError(asked)).toEqual({ errors: { username: asked }, formError: null })
    const refused = 'The git server did not accept the user name and password.'
    expect(assignCloneError(refused)).toEqual({ errors: { password: refused }, formError: null })
    const full = 'The disk of this server instance is full.'
    expect(assignCloneError(full)).toEqual({ errors: {}, formError: full })
    expect(assignCloneError(null)).toEqual({ errors: {}, formError: null })
    expect(validateClone({ ...link, username: 'a', password: 'b' })).toEqual({})
    for (const repository of ['git@host:me/shop.git', 'ssh://git@host:2222/me/shop']) {
      expect(validateClone({ ...values, repository })).toEqual({})
      expect(cloneRequestData({ ...values, repository, username: 'a', password: 'b' })).toEqual({
        repository,
        directory: '.',
      })
    }
    for (const repository of ['-oProxyCommand=x@host:a', 'host:a', 'https://ana@host/a']) {
      expect(isSshRepository(repository)).toBe(false)
    }
  })

  it('treats an empty directory, a dot and a slash as the folder itself', () => {
    expect(['', ' ', '.', '/', 'shop'].map(normalizeDirectory)).toEqual([
      '.',
      '.',
      '.',
      '.',
      'shop',
    ])
  })
})

describe('Git controls', () => {
  it('check out a branch by keyboard', async () => {
    mocks.answer = () => ({ data: { git } })
    const onChange = open()
    const user = userEvent.setup()
    const button = await screen.findByRole('button', { name: 'Branch main' })
    expect(mocks.calls).toEqual([{ path: '/git/details', data: place }])
    button.focus()
    await user.keyboard('{Enter}')
    const feature = await screen.findByRole('menuitem', { name: 'feature' })
    feature.focus()
    await user.keyboard('{Enter}')
    ;(await screen.findByRole('menuitem', { name: 'Check out' })).focus()
    await user.keyboard('{Enter}')
    await waitFor(() => expect(onChange).toHaveBeenCalledOnce())
    expect(mocks.calls[1]).toEqual({ path: '/git/checkout', data: { ...place, branch: 'feature' } })
  })

  it('merge a branch, and ask for confirmation before a deletion', async () => {
    mocks.answer = () => ({ data: { git } })
    const onChange = open()
    const user = userEvent.setup()
    const choose = async (branch: string, action: string) => {
      await user.click(await screen.findByRole('button', { name: 'Branch main' }))
      await user.click(await screen.findByRole('menuitem', { name: branch }))
      await user.click(await screen.findByRole('menuitem', { name: action }))
    }
    await choose('origin/far', 'Merge into main')
    await waitFor(() => expect(onChange).toHaveBeenCalledOnce())
    const changes = () => mocks.calls.filter(({ path }) => path !== '/git/details')
    const update = { ...place, branch: 'origin/far', action: 'merge' }
    expect(changes()).toEqual([{ path: '/git/update-branch', data: update }])

    await choose('feature', 'Delete')
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).getByText('Sure to delete: feature')).toBeTruthy()
    expect(changes()).toHaveLength(1)
    await user.click(within(dialog).getByRole('button', { name: 'Delete branch' }))
    await waitFor(() => expect(changes()).toHaveLength(2))
    expect(changes()[1]).toEqual({
      path: '/git/delete-branch',
      data: { ...place, branch: 'feature' },
    })
  })

  it('show only Clone if there is no repository, and ask for confirmation', async () => {
    const operation = {
      id: 'o1',
      title: 'Cloning a.git',
      status: 'running',
      cancel: 'possible',
      steps: [{ key: 'download', label: 'Download the repository', status: 'running' }],
    }
    mocks.answer = (path) =>
      path === '/git/clone' ? { status: 202, data: { operation } } : { data: { git: null } }
    open()
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'Clone' }))
    const link = await screen.findByRole('textbox', { name: 'Repository link' })
    expect(screen.queryByLabelText(/Git password/)).toBeNull()
    fillField(link, 'https://example.com/a.git')
    const submit = () => user.click(within(screen.getByRole('dialog')).getByText('Clone'))
    fillField(screen.getByLabelText(/^Git password \(leave empty/), 'secret')
    await submit()
    expect(await screen.findByText('Enter the username.')).toBeTruthy()
    fillField(screen.getByRole('textbox', { name: 'Git username' }), 'ana')
    await submit()
    expect(await screen.findByText('Confirm cloning...')).toBeTruthy()
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Clone' }))
    expect(await screen.findByText('Download the repository')).toBeTruthy()
    expect(mocks.calls.find(({ path }) => path === '/git/clone')).toEqual({
      path: '/git/clone',
      data: {
        ...place,
        repository: 'https://example.com/a.git',
        username: 'ana',
        password: 'secret',
        directory: '.',
      },
    })
    await user.click(screen.getByRole('button', { name: 'Cancel: Cloning a.git' }))
    expect(mocks.calls.at(-1)?.path).toBe('/operations/o1/cancel')
  })

  it('show a deploy key for an SSH link, and ask to confirm the server’s host key', async () => {
    const link = 'git@git.example.com:me/shop.git'
    const shown = `SHA256:${'a'.repeat(43)}`
    const operation = { id: 'o2', title: 'Cloning shop', status: 'running', steps: [] }
    let tries = 0
    const asks = (code: string, message: string) => ({
      success: false,
      status: 409,
      code,
      message,
      errors: { host_key: [shown] },
    })
    mocks.answer = (path) => {
      if (path === '/git/deploy-key')
        return { data: { deploy_key: { public_key: 'ssh-ed25519 AAAA' } } }
      if (path !== '/git/clone') return { data: { git: null } }
      tries += 1
      if (tries === 1) return asks('host_key_unknown', 'Not used before.')
      if (tries === 2) return asks('host_key_changed', 'Had another key.')
      return { status: 202, data: { operation } }
    }
    open()
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'Clone' }))
    fillField(await screen.findByRole('textbox', { name: 'Repository link' }), link)
    expect(screen.queryByLabelText(/Git password/)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Show deploy key' }))
    expect(await screen.findByText('ssh-ed25519 AAAA')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Copy deploy key' })).toBeTruthy()
    const dialog = within(screen.getByRole('dialog'))
    const submit = () => user.click(dialog.getByRole('button', { name: 'Clone' }))
    await submit()
    await screen.findByText('Confirm cloning...')
    await submit()
    expect(await screen.findByText('Not used before.')).toBeTruthy()
    expect(screen.getByText(shown)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Trust and clone' }))
    expect(await screen.findByText('Had another key.')).toBeTruthy()
    // A click is not enough to confirm a changed key. The user must type the key's fingerprint.
    const trust = () => user.click(screen.getByRole('button', { name: /Trust the new key/ }))
    await trust()
    expect(await screen.findByText(/not the fingerprint of the new key/)).toBeTruthy()
    expect(tries).toBe(2)
    fillField(screen.getByRole('textbox', { name: /Fingerprint/ }), shown)
    await trust()
    await waitFor(() => expect(tries).toBe(3))
    const sent = mocks.calls.filter(({ path }) => path === '/git/clone').map(({ data }) => data)
    expect(sent).toEqual([
      { ...place, repository: link, directory: '.' },
      { ...place, repository: link, directory: '.', host_key: shown },
      { ...place, repository: link, directory: '.', host_key: shown },
    ])
  })

  it('ask before closing a filled clone form, and show an empty form the next time', async () => {
    mocks.answer = () => ({ data: { git: null } })
    open()
    const user = userEvent.setup()
    const openForm = async () => {
      await user.click(await screen.findByRole('button', { name: 'Clone' }))
      return screen.findByRole<HTMLInputElement>('textbox', { name: 'Repository link' })
    }
    fillField(await openForm(), 'https://example.com/a.git')
    fillField(screen.getByRole('textbox', { name: 'Git username' }), 'ana')
    fillField(screen.getByLabelText(/Git password/), 'secret')
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Clone' }))
    await screen.findByText('Confirm cloning...')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await user.click(await screen.findByRole('button', { name: 'Discard' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect((await openForm()).value).toBe('')
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('offer to remove an old lock file', async () => {
    mocks.answer = (path) =>
      path === '/git/checkout'
        ? { success: false, status: 409, code: 'locked', message: 'A lock was left.' }
        : { data: { git } }
    open()
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'Branch main' }))
    await user.click(await screen.findByRole('menuitem', { name: 'feature' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Check out' }))
    expect(await screen.findByText('A lock was left.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Remove the lock' }))
    await waitFor(() =>
      expect(mocks.calls.at(-1)).toEqual({ path: '/git/remove-lock', data: place })
    )
  })

  it('repeat a merge with conflicts, resolve its files and complete it', async () => {
    const files = [
      { file: 'a.txt', ours: 'file', theirs: 'file' },
      { file: 'b.png', ours: 'file', theirs: 'deleted' },
    ]
    let merging = false
    mocks.answer = (path) => {
      const sent = mocks.calls.at(-1)!.data as Record<string, unknown>
      if (path === '/git/update-branch' && sent.keep_conflicts !== true) {
        return { success: false, status: 409, code: 'merge_conflict', message: 'In conflict.' }
      }
      if (path === '/git/update-branch') merging = true
      if (path === '/git/details') return { data: { git: { ...git, merging } } }
      if (path === '/git/conflicts') {
        return { data: { merge: { title: "Merge branch 'feature'", conflicts: [...files] } } }
      }
      if (path === '/git/conflict') {
        const text = (words: string) => ({ kind: 'text', text: words })
        const sides =
          sent.file === 'a.txt'
            ? { ours: text('of ours'), theirs: text('of theirs') }
            : { ours: { kind: 'binary', size: 5 }, theirs: { kind: 'deleted' } }
        return { data: { sides } }
      }
      if (path === '/git/solve-conflict') files.shift()
      return {}
    }
    open()
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'Branch main' }))
    await user.click(await screen.findByRole('menuitem', { name: 'feature' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Merge into main' }))
    expect(await screen.findByText('In conflict.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Resolve conflicts' }))

    const dialog = within(await screen.findByRole('dialog', { name: 'Resolve conflicts' }))
    expect((await dialog.findByLabelText('Text of ours')).textContent).toBe('of ours')
    expect(dialog.getByLabelText('Text of theirs').textContent).toBe('of theirs')
    const differences = within(await dialog.findByRole('group', { name: 'Differences' }))
    expect(await differences.findByLabelText('Changes of a.txt')).toBeTruthy()
    expect(dialog.getByRole('status').textContent).toContain('2 files are in conflict')
    const finish = dialog.getByRole('button', { name: 'Finish merge' })
    expect(finish.getAttribute('aria-description')).toContain('Resolve all conflicts')
    await user.click(dialog.getByRole('button', { name: 'Edit text' }))
    const text = dialog.getByRole('textbox', { name: 'File text' })
    fillField(text, 'both')
    await user.click(dialog.getByRole('button', { name: 'Use this text' }))

    expect(await dialog.findByText('binary')).toBeTruthy()
    expect(dialog.getByText('deleted')).toBeTruthy()
    const edit = dialog.getByRole('button', { name: 'Edit text' })
    expect(edit.getAttribute('aria-description')).toContain('Keep one of them')
    await user.click(dialog.getByRole('button', { name: 'Use theirs' }))
    expect(await dialog.findByText(/All conflicts are resolved/)).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Finish merge' }))
    await waitFor(() =>
      expect(mocks.calls.some(({ path }) => path === '/git/finish-merge')).toBe(true)
    )
    const solved = mocks.calls.filter(({ path }) => path === '/git/solve-conflict')
    expect(solved.map(({ data }) => data)).toEqual([
      { ...place, file: 'a.txt', keep: 'text', text: 'both' },
      { ...place, file: 'b.png', keep: 'theirs' },
    ])
    await user.click(await screen.findByRole('button', { name: 'Merge in progress' }))
    const again = within(await screen.findByRole('dialog', { name: 'Resolve conflicts' }))
    await user.click(await again.findByRole('button', { name: 'Abort merge' }))
    const asked = within(await screen.findByRole('dialog', { name: 'Abort merge' }))
    await user.click(asked.getByRole('button', { name: 'Abort merge' }))
    await waitFor(() =>
      expect(mocks.calls.some(({ path }) => path === '/git/abort-merge')).toBe(true)
    )
  })

  it('show why git cannot be used', async () => {
    mocks.answer = () => ({ success: false, message: 'The instance is stopped.' })
    open()
    const button = await screen.findByRole('button', { name: 'Git' })
    expect(button.getAttribute('aria-description')).toBe('The instance is stopped.')
  })
})
