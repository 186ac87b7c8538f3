import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fireEvent, render, screen } from '@testing-library/react'
import { MantineProvider } from '@mantine/core'
import { downloadHref, editorHref, folderHref, nameOf, parentOf } from './addresses'
import { FixOwnership } from './fix_ownership'
import { lineEndWords, separatorOf } from './line_ends'
import { sizeText } from './sizes'
import { sortRows } from './sorting'
import { FileTable } from './table'
import { uploads } from './uploads'
import type { Row } from './types'

const row = (name: string, more: Partial<Row> = {}): Row => ({
  name,
  type: 'file',
  size: 1,
  modified: '2026-11-22T01:00:00.000Z',
  mode: '0644',
  ...more,
})

const show = (rows: Row[]) => {
  const handlers = { onMenu: vi.fn(), onDelete: vi.fn(), onRename: vi.fn() }
  render(
    <MantineProvider>
      <FileTable rows={rows} path="site" instance={3} {...handlers} />
    </MantineProvider>
  )
  return handlers
}

describe('addresses', () => {
  it('carry odd names whole', () => {
    const name = `a b&c=d#e?f%g"'\n`
    for (const href of [folderHref(name, 7), editorHref(name, 7), downloadHref(name, 7)]) {
      const query = new URLSearchParams(href.slice(href.indexOf('?')))
      expect(query.get('path')?.replace(/^\//, '')).toBe(name)
      expect(query.get('server_instance_id')).toBe('7')
    }
    expect(folderHref('', 7)).toBe('/file-manager?server_instance_id=7')
    expect(editorHref('a/b.txt', null)).toBe('/file-manager/file?path=/a/b.txt')
    expect([parentOf('a/b/c'), parentOf('c'), nameOf('a/b/c'), nameOf('c')]).toEqual([
      'a/b',
      '',
      'c',
      'c',
    ])
  })
})

describe('names that plain text cannot carry', () => {
  const wire = '.berth-raw-636166e9'

  it('are shown as text and called by their bytes', () => {
    show([row('caf\ufffd', { wire }), row('plain')])
    const link = screen.getByRole('link', { name: 'caf\ufffd' })
    expect(link.getAttribute('href')).toContain(`path=/site/${wire}`)
    expect(nameOf(`site/${wire}`)).toBe('caf\ufffd')
    expect(nameOf('site/.berth-raw-x')).toBe('.berth-raw-x')
  })

  it('have the same menu as all others', () => {
    const { onMenu } = show([row('caf\ufffd', { wire })])
    fireEvent.click(screen.getByRole('button', { name: 'Actions for caf\ufffd' }))
    expect(onMenu).toHaveBeenCalled()
  })
})

describe('fixing the ownership', () => {
  it('is asked for, done by its call, and told', async () => {
    const fetched = vi.fn(async (_path: string, _init: RequestInit) =>
      Response.json({ success: true, message: 'Fixed.', data: { changed: 2 } })
    )
    vi.stubGlobal('fetch', fetched)
    const [onClose, onDone] = [vi.fn(), vi.fn()]
    render(
      <MantineProvider>
        <FixOwnership opened instance={7} area="admin" onClose={onClose} onDone={onDone} />
      </MantineProvider>
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Fix ownership' }))
    await vi.waitFor(() => expect(onDone).toHaveBeenCalled())
    expect(onClose).toHaveBeenCalled()
    expect(fetched.mock.calls[0][0]).toBe('/admin/file-manager/fix-ownership')
    expect(fetched.mock.calls[0][1].body).toBe('{"server_instance_id":7}')
    vi.unstubAllGlobals()
  })
})

describe('sizes', () => {
  it('have units', () => {
    expect([0, 1023, 1536, 20 * 1024 ** 2, 3 * 1024 ** 4].map(sizeText)).toEqual([
      '0 B',
      '1023 B',
      '1.5 KB',
      '20 MB',
      '3.0 TB',
    ])
  })
})

describe('line ends', () => {
  it('are kept by the right separator', () => {
    expect(separatorOf('a\r\nb\r\n')).toBe('\r\n')
    for (const text of ['a\nb', 'a\r\nb\nc', 'a\rb\r\n', 'none', ''])
      expect(separatorOf(text)).toBe('\n')
    expect(lineEndWords('a\r\nb\nc')).toBe('Mixed line ends')
    expect(lineEndWords('a\r\nb')).toBe('CRLF')
    expect(lineEndWords('a')).toBe('LF')
  })

  for (const text of ['a\r\nb\r\n', 'a\nb\n', 'a\r\nb\nc\rd\r\n', '\r\n', '']) {
    it(`come out of the editor as they went in: ${JSON.stringify(text)}`, async () => {
      const { EditorState } = await import('@codemirror/state')
      const separator = EditorState.lineSeparator.of(separatorOf(text))
      expect(EditorState.create({ doc: text, extensions: [separator] }).sliceDoc()).toBe(text)
    })
  }
})

describe('sorting', () => {
  const rows = [
    row('b10', { size: 5 }),
    row('b9', { size: 9 }),
    row('z', { type: 'folder' }),
    row('A'),
  ]
  const names = (by: 'name' | 'size', down: boolean) =>
    sortRows(rows, { by, down }).map(({ name }) => name)
  it('keeps folders first and counts numbers as numbers', () => {
    expect(names('name', false)).toEqual(['z', 'A', 'b9', 'b10'])
    expect(names('name', true)).toEqual(['z', 'b10', 'b9', 'A'])
    expect(names('size', true)).toEqual(['z', 'b9', 'b10', 'A'])
  })
})

describe('the table', () => {
  it('opens its menu by button and right click, and obeys keys', () => {
    const handlers = show([row('a.txt'), row('dir', { type: 'folder' })])
    fireEvent.click(screen.getByRole('button', { name: 'Actions for a.txt' }))
    const line = screen.getByRole('row', { name: /a\.txt/ })
    fireEvent.contextMenu(line, { clientX: 5, clientY: 6 })
    expect(handlers.onMenu).toHaveBeenCalledTimes(2)
    expect(handlers.onMenu.mock.lastCall?.[1]).toEqual({ x: 5, y: 6 })
    fireEvent.keyDown(line, { key: 'Delete' })
    fireEvent.keyDown(line, { key: 'F2' })
    expect(handlers.onDelete.mock.lastCall?.[0].name).toBe('a.txt')
    expect(handlers.onRename.mock.lastCall?.[0].name).toBe('a.txt')
    expect(screen.getByRole('link', { name: 'dir' }).getAttribute('href')).toContain(
      'path=site/dir'
    )
  })

  it('draws few of ten thousand rows', () => {
    show(Array.from({ length: 10_000 }, (_, index) => row(`file-${index}`)))
    expect(screen.getAllByRole('row').length).toBeLessThan(200)
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10001')
  })
})

describe('uploads', () => {
  const sent: Request[] = []
  class Request {
    upload: { onprogress?: (event: { loaded: number }) => void } = {}
    status = 201
    responseText = '{}'
    url = ''
    names: string[] = []
    onload?: () => void
    onabort?: () => void
    abort = vi.fn(() => this.onabort?.())
    open(_method: string, url: string) {
      this.url = url
      sent.push(this)
    }
    setRequestHeader() {}
    send(form: FormData) {
      const files = [...form].filter(([, file]) => file instanceof File)
      this.names = files.map(([part, file]) => (part === 'file' ? (file as File).name : part))
    }
    end(status: number, answer: object = {}) {
      Object.assign(this, { status, responseText: JSON.stringify(answer) })
      this.onload?.()
    }
  }
  const states = () => uploads.all().map(({ state }) => state)
  const add = (
    sizes: Record<string, number>,
    together: { bytes: number; files: number; total: number }
  ) => {
    const files = Object.entries(sizes).map(([name, size]) => new File(['x'.repeat(size)], name))
    const taken = new Set(['old.txt'])
    uploads.add(files, { folder: 'site', instance: 3, limit: 5, together, taken })
  }

  beforeEach(() => {
    sent.length = 0
    vi.stubGlobal('XMLHttpRequest', Request)
    return () => {
      for (const { id } of uploads.all()) uploads.cancel(id)
      uploads.clear()
      vi.unstubAllGlobals()
    }
  })

  it('ask before they replace, refuse what is too large, can be cancelled', () => {
    add({ 'new.txt': 1, 'old.txt': 1, 'big.bin': 9 }, { bytes: 0, files: 9, total: 9 })
    expect(states()).toEqual(['sending', 'taken', 'failed'])
    const [first, second] = uploads.all()
    uploads.replace(second.id)
    expect(sent[1].url).toContain('overwrite=1')
    uploads.cancel(first.id)
    expect(sent[0].abort).toHaveBeenCalled()
    expect(uploads.all()[0].state).toBe('cancelled')
    uploads.clear()
    expect(states()).toEqual(['sending'])
  })

  it('send small files together, and one by one where one of them is refused', () => {
    const arrived = vi.fn()
    const stop = uploads.onArrival(arrived)
    add({ a: 2, 'two words': 2, large: 4, c: 2, d: 2 }, { bytes: 2, files: 3, total: 9 })
    expect(sent.map(({ names }) => names)).toEqual([['a', 'two%20words', 'c'], ['large']])
    expect(sent[0].url).toMatch(/^\/file-manager\/upload-files\?path=site&/)
    sent[0].upload.onprogress!({ loaded: 3 })
    expect(uploads.all().map((one) => one.sent)).toEqual([2, 1, 0, 0, 0])
    sent[0].end(409, { code: 'exists', message: 'It exists already.' })
    sent[1].end(201)
    expect(states()).toEqual(['sending', 'sending', 'done', 'waiting', 'waiting'])
    sent[2].end(201)
    sent[3].end(409, { code: 'exists', message: 'It exists already.' })
    sent[4].end(201)
    expect(sent.slice(2).map(({ names }) => names)).toEqual([['a'], ['two words'], ['c'], ['d']])
    sent[5].end(201)
    expect(states()).toEqual(['done', 'taken', 'done', 'done', 'done'])
    expect(arrived).toHaveBeenCalledTimes(4)
    stop()
  })

  it('send no more together than a call may hold', () => {
    add({ a: 2, b: 2, c: 2 }, { bytes: 2, files: 9, total: 4 })
    expect(sent.map(({ names }) => names)).toEqual([['a', 'b'], ['c']])
  })

  it('go on without the one that was cancelled', () => {
    add({ a: 1, b: 1, c: 1 }, { bytes: 2, files: 9, total: 9 })
    uploads.cancel(uploads.all()[1].id)
    expect(sent.map(({ names }) => names)).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
    ])
    sent[1].end(201)
    expect(states()).toEqual(['done', 'cancelled', 'done'])
  })
})
