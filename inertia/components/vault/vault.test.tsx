import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { cdnUrl, fileHref, vaultHref } from './paths_and_links'
import { ApiDocumentation } from './api_documentation'
import { DeleteObjectsDialog, type ObjectSelection } from './delete_objects_dialog'
import { codeExample, exampleLanguages } from './code_examples'
import { previewKindOf } from './file_preview_dialog'
import { requestsInLatestMonth } from './requests_in_latest_month'
import { VaultUploadQueue } from './vault_upload_queue'

type Answer = Record<string, unknown>

const mocks = vi.hoisted(() => ({
  calls: [] as { path: string; data: unknown }[],
  answer: (_path: string, _data: Record<string, unknown>): Answer => ({}),
}))

vi.mock('@inertiajs/react', () => ({
  usePage: () => ({ url: '/vault/7', props: {} }),
  router: { on: () => () => {}, reload: vi.fn() },
}))
vi.mock('~/api_call', async (original) => ({
  ...(await original<typeof import('~/api_call')>()),
  call: async (path: string, { data }: { data?: Record<string, unknown> } = {}) => {
    mocks.calls.push({ path, data })
    const answered = mocks.answer(path, data ?? {})
    return { success: true, status: 200, message: '', errors: {}, ...answered }
  },
}))

/** Replaces XMLHttpRequest. The test decides how each request ends. */
class FakeRequest {
  static all: FakeRequest[] = []
  upload: { onprogress?: (event: { loaded: number }) => void } = {}
  status = 0
  responseText = ''
  url = ''
  onload?: () => void
  onerror?: () => void
  onabort?: () => void
  aborted = false

  constructor() {
    FakeRequest.all.push(this)
  }
  open(method: string, url: string) {
    this.url = `${method} ${url}`
  }
  setRequestHeader() {}
  send() {}
  abort() {
    this.aborted = true
    this.onabort?.()
  }
  answer(status: number, text = '{"message":"File stored."}') {
    this.status = status
    this.responseText = text
    this.onload?.()
  }
}

beforeEach(() => {
  mocks.calls.length = 0
  mocks.answer = () => ({})
  FakeRequest.all = []
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
})

const file = (name: string, size = 4) => {
  const made = new File(['text'], name)
  Object.defineProperty(made, 'size', { value: size })
  return { file: made, folder: 'photos' }
}
const place = { vault: 7, limit: 500 }
const begun = (count: number) => waitFor(() => expect(FakeRequest.all).toHaveLength(count))

describe('Uploads', () => {
  beforeEach(() => {
    mocks.answer = (_path, { name }) => ({ data: { url: `http://vault/${String(name)}` } })
  })

  it('run three at a time, directly to the vault service, and report progress', async () => {
    const queue = new VaultUploadQueue()
    const arrived = vi.fn()
    queue.onArrival(arrived)
    queue.add([file('a'), file('b'), file('c'), file('d')], place)
    expect(queue.all().map(({ state }) => state)).toEqual([
      'sending',
      'sending',
      'sending',
      'waiting',
    ])
    await begun(3)
    expect(mocks.calls[0]).toEqual({
      path: '/vault/object/upload',
      data: { vault_id: 7, path: 'photos', name: 'a', size: 4, overwrite: false },
    })
    expect(FakeRequest.all[0].url).toBe('PUT http://vault/a')
    FakeRequest.all[0].upload.onprogress!({ loaded: 3 })
    expect(queue.all()[0].sent).toBe(3)
    FakeRequest.all[0].answer(200)
    await begun(4)
    expect(queue.all()[0]).toMatchObject({ state: 'done', sent: 4 })
    expect(arrived).toHaveBeenCalledOnce()
  })

  it('fail if a proxy answers instead of the vault service, even with status 200', async () => {
    const queue = new VaultUploadQueue()
    queue.add([file('a')], place)
    await begun(1)
    FakeRequest.all[0].answer(200, '<html>Accept the terms of this Wi-Fi network</html>')
    await waitFor(() => expect(queue.all()[0].state).toBe('failed'))
    expect(queue.all()[0].message).toMatch(/another server/)
  })

  it('fail above the size limit without a request', () => {
    const queue = new VaultUploadQueue()
    queue.add([file('large', 501)], place)
    expect(queue.all()[0]).toMatchObject({
      state: 'failed',
      message: 'Files up to 500MB can be uploaded. This one is larger.',
    })
    expect(mocks.calls).toEqual([])
  })

  it('ask before they replace a file, and report the replacement', async () => {
    mocks.answer = (_path, { overwrite }) =>
      overwrite
        ? { data: { url: 'http://vault/a' } }
        : { success: false, status: 409, code: 'exists', message: 'Replace it?' }
    const queue = new VaultUploadQueue()
    queue.add([file('a')], place)
    await waitFor(() => expect(queue.all()[0].state).toBe('taken'))
    queue.replace(queue.all()[0].id)
    await begun(1)
    expect(mocks.calls.at(-1)!.data).toMatchObject({ overwrite: true })
  })

  it('can be cancelled, show the vault’s error message, and can be retried', async () => {
    const queue = new VaultUploadQueue()
    queue.add([file('a'), file('b')], place)
    await begun(2)
    const [one, other] = queue.all()
    queue.cancel(one.id)
    expect(FakeRequest.all[0].aborted).toBe(true)
    expect(queue.all()[0]).toMatchObject({ state: 'cancelled' })
    FakeRequest.all[1].answer(507, JSON.stringify({ message: 'The storage is full.' }))
    await waitFor(() => expect(queue.all()[1]).toMatchObject({ state: 'failed' }))
    expect(queue.all()[1].message).toBe('The storage is full.')
    queue.retry(other.id)
    await begun(3)
    FakeRequest.all[2].onerror!()
    await waitFor(() => expect(queue.all()[1].state).toBe('failed'))
    expect(queue.all()[0].state).toBe('cancelled')
    queue.clear()
    expect(queue.all()).toEqual([])
  })

  it('an upload that is cancelled before its URL arrives is not sent', async () => {
    const queue = new VaultUploadQueue()
    queue.add([file('a')], place)
    queue.cancel(queue.all()[0].id)
    await new Promise((done) => setTimeout(done))
    expect(FakeRequest.all.every(({ aborted }) => aborted)).toBe(true)
    expect(queue.all()[0].state).toBe('cancelled')
  })
})

const ask = (doomed: ObjectSelection) => {
  const [onClose, onDone] = [vi.fn(), vi.fn()]
  render(
    <MantineProvider env="test">
      <DeleteObjectsDialog vault={7} doomed={doomed} onClose={onClose} onDone={onDone} />
    </MantineProvider>
  )
  return {
    onClose,
    onDone,
    submit: () => fireEvent.click(screen.getByRole('button', { name: 'Delete' })),
  }
}

describe('Deletion dialog', () => {
  it('requires the exact name of a folder', async () => {
    const { submit, onDone } = ask({ folders: ['a/photos'], files: [] })
    const name = screen.getByLabelText('Type photos to confirm')
    for (const wrong of ['', 'Photos', 'a/photos']) {
      fireEvent.change(name, { target: { value: wrong } })
      submit()
      expect(await screen.findByText('Wrong input')).toBeTruthy()
    }
    expect(mocks.calls).toEqual([])
    fireEvent.change(name, { target: { value: 'photos' } })
    submit()
    await waitFor(() => expect(onDone).toHaveBeenCalled())
    expect(mocks.calls).toEqual([
      {
        path: '/vault/object/delete',
        data: { vault_id: 7, path: 'a/photos', type: 'folder' },
      },
    ])
  })

  it('requires a checkbox for a file', async () => {
    const { submit, onDone } = ask({ folders: [], files: ['a/b.txt'] })
    submit()
    expect(await screen.findByText('Wrong input')).toBeTruthy()
    expect(mocks.calls).toEqual([])
    fireEvent.click(screen.getByLabelText('Yes, delete this file'))
    submit()
    await waitFor(() => expect(onDone).toHaveBeenCalled())
    expect(mocks.calls[0].data).toEqual({ vault_id: 7, path: 'a/b.txt', type: 'file' })
  })

  it('deletes several objects in one call, and shows an error in the dialog', async () => {
    mocks.answer = () => ({ success: false, status: 503, message: 'The service is away.' })
    const { submit, onClose } = ask({ folders: ['f'], files: ['a', 'b'] })
    fireEvent.change(screen.getByLabelText('Type delete to confirm'), {
      target: { value: 'delete' },
    })
    submit()
    expect(await screen.findByText('The service is away.')).toBeTruthy()
    expect(onClose).not.toHaveBeenCalled()
    expect(mocks.calls).toEqual([
      {
        path: '/vault/object/delete-many',
        data: { vault_id: 7, files: ['a', 'b'], folders: ['f'] },
      },
    ])
  })
})

describe('API documentation', () => {
  const where = { vaultHost: 'https://vault.example.com', accessKeyId: 42 }

  it('is collapsed, and shows the host and the access key ID', () => {
    const { container } = render(
      <MantineProvider env="test">
        <ApiDocumentation {...where} />
      </MantineProvider>
    )
    expect(container.querySelector('details')!.open).toBe(false)
    expect(screen.getByText('POST https://vault.example.com/upload')).toBeTruthy()
    expect(screen.getByText('GET https://vault.example.com/remove')).toBeTruthy()
    const shown = screen.getByLabelText('Upload a file: curl')
    expect(shown.textContent).toContain('X-Access-Key-Id: 42')
  })

  it('has examples in each language for both calls', () => {
    for (const language of exampleLanguages) {
      for (const work of ['upload', 'remove'] as const) {
        const text = codeExample(language, work, where)
        expect(text).toContain(`https://vault.example.com/${work}`)
        expect(text).toMatch(/X-Access-Key-Id'?: '?42/u)
        expect(text).toContain('X-Secret-Key')
      }
    }
  })
})

describe('Vault page', () => {
  it('URLs encode special characters in names', () => {
    const name = 'a b&c=d#e?f%g"'
    expect(new URL(fileHref(7, `x/${name}`), 'http://a').searchParams.get('name')).toBe(`x/${name}`)
    expect(new URL(vaultHref(7, name), 'http://a').searchParams.get('path')).toBe(name)
    expect(vaultHref(7)).toBe('/vault/7')
    const address = new URL(cdnUrl('http://vault', 'key', `x/${name}`))
    expect(decodeURIComponent(address.pathname)).toBe(`/key/x/${name}`)
  })

  it('shows the requests of the newest month', () => {
    expect(requestsInLatestMonth({ '2026-11': 3, '2026-10': 9 })).toBe(3)
    expect(requestsInLatestMonth({})).toBe(0)
  })

  it('previews files by media type, but never as active content', () => {
    const kinds = {
      'image/svg+xml': 'image',
      'text/plain; charset=utf-8': 'text',
      'text/html': 'text',
      'application/json': 'text',
      'application/pdf': 'pdf',
      'video/mp4': 'video',
      'application/zip': 'none',
    }
    for (const [type, kind] of Object.entries(kinds)) expect(previewKindOf({ type })).toBe(kind)
  })
})
