import { webcrypto } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MantineProvider } from '@mantine/core'
import { UploadTray } from './upload_tray'
import { uploadQueue } from './upload_queue'

class Request {
  static sent: Request[] = []
  upload: { onprogress?: (event: { loaded: number }) => void; onload?: () => void } = {}
  status = 0
  responseText = ''
  method = ''
  url = new URL('http://localhost')
  body: unknown
  onload?: () => void
  onerror?: () => void
  onabort?: () => void
  abort = vi.fn(() => this.onabort?.())
  open(method: string, url: string) {
    Object.assign(this, { method, url: new URL(url, 'http://localhost') })
  }
  setRequestHeader() {}
  send(body: unknown) {
    this.body = body
    Request.sent.push(this)
  }
  answer(status: number, answer: object = {}) {
    Object.assign(this, { status, responseText: JSON.stringify({ message: 'Said.', ...answer }) })
    this.onload?.()
  }
  resumeAt(offset: number, hasOtherVersion = false) {
    this.answer(200, { data: { progress: { offset, hasOtherVersion } } })
  }
}

let taken = 0
/** Waits for the next request, which must be for `call`, such as `upload-part`. */
async function next(call: string): Promise<Request> {
  await waitFor(() => expect(Request.sent.length).toBeGreaterThan(taken))
  const request = Request.sent[taken++]
  expect(request.url.pathname).toBe(`/file-manager/${call}`)
  return request
}

const only = () => uploadQueue.all()[0]
const text = 'a large file'

function add(name = 'large.bin') {
  const file = new File([text], name, { lastModified: 5 })
  uploadQueue.add([file], {
    batch: uploadQueue.newBatch(),
    folder: 'site',
    instance: 3,
    limit: 100,
    together: { bytes: 2, files: 9, total: 9 },
    resumableAbove: text.length - 1,
    taken: new Set(),
  })
}

describe('Resumable uploads', () => {
  beforeEach(() => {
    taken = 0
    Request.sent = []
    vi.stubGlobal('XMLHttpRequest', Request)
    vi.stubGlobal('crypto', webcrypto)
    return () => {
      for (const { id } of uploadQueue.all()) uploadQueue.cancel(id)
      uploadQueue.clear()
      vi.unstubAllGlobals()
    }
  })

  it('continue after a lost connection with the bytes that have not arrived', async () => {
    render(
      <MantineProvider>
        <UploadTray />
      </MantineProvider>
    )
    add()
    const resume = await next('resume-upload')
    expect(Object.fromEntries(resume.url.searchParams)).toMatchObject({
      path: 'site',
      name: 'large.bin',
      size: '12',
      modified: '5',
      head: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      tab: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    })
    resume.resumeAt(0)
    const part = await next('upload-part')
    expect([part.method, part.url.searchParams.get('end')]).toEqual(['PATCH', '12'])
    part.upload.onprogress!({ loaded: 7 })
    expect(only().sent).toBe(7)
    part.onerror!()
    await screen.findByText('Connection lost. Continuing in 1 s.')
    screen.getByRole('progressbar', { name: 'large.bin: 58 %' })
    fireEvent.click(screen.getByRole('button', { name: 'Continue now' }))
    const again = await next('resume-upload')
    expect(again.url.searchParams.get('tab')).toBe(resume.url.searchParams.get('tab'))
    again.resumeAt(4)
    const rest = await next('upload-part')
    expect(rest.url.searchParams.get('offset')).toBe('4')
    expect(new TextDecoder().decode(rest.body as ArrayBuffer)).toBe(text.slice(4))
    rest.upload.onprogress!({ loaded: 2 })
    expect(only().sent).toBe(6)
    rest.answer(200)
    const finish = await next('finish-upload')
    expect(JSON.parse(finish.body as string)).toEqual({
      // Output of: printf 'a large file' | split -b 16777216 --filter=sha256sum | sha256sum
      hash: 'b8fc624a189ffdddcf1173f43be41e4363a69c11f4c64be2ccf69c71e3bc0f17',
    })
    finish.answer(201)
    await waitFor(() => expect(only()).toMatchObject({ state: 'done', sent: 12, message: '' }))
  })

  it('wait longer after each lost connection, and do not send again what has arrived', async () => {
    add()
    for (const seconds of [1, 2, 5, 10, 30, 30]) {
      const resume = await next('resume-upload')
      resume.onerror!()
      const message = `Connection lost. Continuing in ${seconds} s.`
      await waitFor(() => expect(only()).toMatchObject({ state: 'interrupted', message }))
      window.dispatchEvent(new Event('online'))
    }
    ;(await next('resume-upload')).resumeAt(12)
    ;(await next('finish-upload')).onerror!()
    await waitFor(() => expect(only().state).toBe('interrupted'))
    uploadQueue.continueNow(only().id)
    // With these statuses, the file may already be in place although the page got an error.
    for (const status of [423, 504]) {
      ;(await next('finish-upload')).answer(status)
      await waitFor(() => expect(only().state).toBe('interrupted'))
      uploadQueue.continueNow(only().id)
    }
    ;(await next('finish-upload')).answer(201)
    await waitFor(() => expect(only().state).toBe('done'))
  })

  it('report a file that changed or cannot be read', async () => {
    add()
    ;(await next('resume-upload')).resumeAt(0, true)
    const message = 'The file has changed since the interrupted upload, so it started again.'
    const part = await next('upload-part')
    expect(only()).toMatchObject({ state: 'sending', message })
    vi.spyOn(File.prototype, 'slice').mockImplementation(() => {
      throw new DOMException('The file has changed', 'NotReadableError')
    })
    part.onerror!()
    await waitFor(() => expect(only().state).toBe('interrupted'))
    uploadQueue.continueNow(only().id)
    ;(await next('resume-upload')).resumeAt(0)
    await waitFor(() => expect(only().state).toBe('failed'))
    expect(only().message).toMatch(/cannot read this file any more/)
  })

  it('continue after a long outage, whatever the first response is', async () => {
    add()
    for (let failures = 0; failures < 7; failures++) {
      ;(await next('resume-upload')).onerror!()
      await waitFor(() => expect(only().state).toBe('interrupted'))
      uploadQueue.continueNow(only().id)
    }
    for (const [status, code] of [
      [502, ''],
      [423, 'locked'],
      [409, 'wrong_offset'],
      [400, 'cut_off'],
    ] as const) {
      ;(await next('resume-upload')).resumeAt(0)
      ;(await next('upload-part')).answer(status, { code })
      await waitFor(() => expect(only().state).toBe('interrupted'))
      uploadQueue.continueNow(only().id)
    }
    ;(await next('resume-upload')).resumeAt(0)
  })

  it('fail after repeated server errors, and continue when the person retries', async () => {
    add()
    for (let failures = 0; failures < 5; failures++) {
      ;(await next('resume-upload')).answer(503)
      const state = {
        state: 'interrupted',
        message: expect.stringMatching(/^Said\. Cont/) as string,
      }
      await waitFor(() => expect(only()).toMatchObject(state))
      uploadQueue.continueNow(only().id)
    }
    ;(await next('resume-upload')).answer(503)
    await waitFor(() => expect(only()).toMatchObject({ state: 'failed', message: 'Said.' }))
    uploadQueue.retry(only().id)
    ;(await next('resume-upload')).answer(409, { code: 'busy', message: 'Another tab.' })
    await waitFor(() => expect(only()).toMatchObject({ message: 'Another tab.' }))
  })

  it('are sent once if a file is chosen again after it failed', async () => {
    add()
    ;(await next('resume-upload')).answer(401)
    await waitFor(() => expect(only().state).toBe('failed'))
    add()
    add()
    ;(await next('resume-upload')).resumeAt(0)
    const part = await next('upload-part')
    uploadQueue.clear()
    expect(uploadQueue.all().map(({ state }) => state)).toEqual(['sending', 'waiting'])
    part.answer(200)
    ;(await next('finish-upload')).answer(201)
    ;(await next('resume-upload')).answer(409, { code: 'exists' })
    await waitFor(() => {
      expect(uploadQueue.all().map(({ state }) => state)).toEqual(['done', 'taken'])
    })
  })

  it('send nothing more if they are cancelled while the file is read', async () => {
    const { promise, resolve } = Promise.withResolvers<ArrayBuffer>()
    const slice = vi.spyOn(File.prototype, 'slice')
    slice.mockReturnValue({ arrayBuffer: () => promise } as Blob)
    add()
    await waitFor(() => expect(slice).toHaveBeenCalled())
    uploadQueue.cancel(only().id)
    resolve(new ArrayBuffer(0))
    await new Promise((done) => setTimeout(done, 50))
    expect(Request.sent).toEqual([])
    slice.mockRestore()
  })

  it('do not delete the bytes of another tab’s upload', async () => {
    add()
    ;(await next('resume-upload')).resumeAt(0)
    ;(await next('upload-part')).answer(409, { code: 'busy' })
    await waitFor(() => expect(only().state).toBe('failed'))
    uploadQueue.clear()
    add()
    ;(await next('resume-upload')).answer(409, { code: 'busy' })
    await waitFor(() => expect(only().state).toBe('failed'))
    uploadQueue.clear()
    expect(Request.sent).toHaveLength(taken)
  })

  it('ask about existing files, and delete what arrived if they are cancelled', async () => {
    add()
    ;(await next('resume-upload')).answer(409, { code: 'exists' })
    await waitFor(() => expect(only().state).toBe('taken'))
    uploadQueue.replace(only().id)
    const resume = await next('resume-upload')
    expect(resume.url.searchParams.get('overwrite')).toBe('1')
    resume.resumeAt(0)
    const part = await next('upload-part')
    uploadQueue.cancel(only().id)
    expect(part.abort).toHaveBeenCalled()
    await next('discard-upload')
    expect(only()).toMatchObject({ state: 'cancelled', message: 'Upload cancelled.' })
  })
})
