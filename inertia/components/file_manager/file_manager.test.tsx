import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { MantineProvider } from '@mantine/core'
import {
  downloadHref,
  editorHref,
  folderHref,
  displayNameOf,
  parentPath,
  zipHref,
} from './paths_and_links'
import {
  fileClipboard,
  itemCountLabel,
  pasteDisabledReason,
  type ClipboardContent,
} from './file_clipboard'
import { DeleteDialog } from './delete_dialog'
import { readDroppedFiles } from './dropped_files'
import { ExistingUnzipDialog, ExistingUploadsDialog } from './existing_files_dialog'
import { FixOwnershipDialog } from './fix_ownership_dialog'
import { unzipSkippedFilesMessage } from './unzip_skipped_files_message'
import { lineEndingLabel, lineSeparator } from './line_endings'
import { FileModeDialog } from './file_mode_dialog'
import { SelectionBar } from './selection_bar'
import { formatSize } from './format_size'
import { sortRows } from './sort_rows'
import { FileTable } from './file_table'
import { uploadQueue } from './upload_queue'
import { useSelection } from './use_selection'
import type { FileRow } from './types'

const row = (name: string, more: Partial<FileRow> = {}): FileRow => ({
  name,
  type: 'file',
  size: 1,
  modified: '2026-11-22T01:00:00.000Z',
  mode: '0644',
  ...more,
})

const show = (rows: FileRow[], cut: string[] = []) => {
  const handlers = {
    onMenu: vi.fn(),
    onDelete: vi.fn(),
    onRename: vi.fn(),
    onCopy: vi.fn(),
    onCut: vi.fn(),
    onSelect: vi.fn<(keys: ReadonlySet<string>) => void>(),
  }
  const Shown = () => {
    const { keys, select } = useSelection(rows, 'here')
    const onSelect = (next: ReadonlySet<string>) => {
      handlers.onSelect(next)
      select(next)
    }
    const more = { ...handlers, onSelect, selected: keys, cut: new Set(cut) }
    return <FileTable rows={rows} path="site" instance={3} {...more} />
  }
  render(
    <MantineProvider>
      <Shown />
    </MantineProvider>
  )
  return handlers
}

const chosenOf = ({ onSelect }: ReturnType<typeof show>) => [...(onSelect.mock.lastCall?.[0] ?? [])]
const lineOf = (name: string) => screen.getByText(name).closest<HTMLElement>('[role=row]')!
const boxOf = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })

describe('URLs of files and folders', () => {
  it('encode special characters in names', () => {
    const name = `a b&c=d#e?f%g"'\n`
    for (const href of [folderHref(name, 7), editorHref(name, 7), downloadHref(name, 7)]) {
      const query = new URLSearchParams(href.slice(href.indexOf('?')))
      expect(query.get('path')?.replace(/^\//, '')).toBe(name)
      expect(query.get('server_instance_id')).toBe('7')
    }
    expect(folderHref('', 7)).toBe('/file-manager?server_instance_id=7')
    expect(editorHref('a/b.txt', null)).toBe('/file-manager/file?path=/a/b.txt')
    expect([
      parentPath('a/b/c'),
      parentPath('c'),
      displayNameOf('a/b/c'),
      displayNameOf('c'),
    ]).toEqual(['a/b', '', 'c', 'c'])
  })
})

describe('URL of a zip file', () => {
  it('contains the folder and the selected names', () => {
    const names = ['a b&c=d#e?f%g"', "it's\n", '.berth-raw-e9']
    const query = new URLSearchParams(zipHref('my site', names, 7, 'admin')!.split('?')[1])
    expect(query.get('path')).toBe('/my site')
    expect(query.getAll('name')).toEqual(names)
    expect(zipHref('', [], 7)).toBe('/file-manager/download-folder?path=/&server_instance_id=7')
  })

  it('is null if it would be too long', () => {
    expect(zipHref('', Array(501).fill('a'), 7)).toBeNull()
    expect(zipHref('', Array(100).fill('a'.repeat(100)), 7)).toBeNull()
  })
})

describe('Dropped files', () => {
  type Tree = { [name: string]: Tree | null }
  const entryOf = (name: string, tree: Tree | null): object =>
    tree === null
      ? { name, isFile: true, file: (done: (file: File) => void) => done(new File([], name)) }
      : { name, isDirectory: true, createReader: () => readerOf(tree) }
  /** Returns a reader that lists entries in batches and ends with an empty batch, as browsers do. */
  const readerOf = (tree: Tree) => {
    const left = Object.entries(tree).map(([name, inside]) => entryOf(name, inside))
    return { readEntries: (done: (some: object[]) => void) => done(left.splice(0, 2)) }
  }
  const transferOf = (tree: Tree) =>
    ({
      files: Object.keys(tree).map((name) => new File([], name)),
      items: Object.entries(tree).map(([name, inside]) => ({
        kind: 'file',
        webkitGetAsEntry: () => entryOf(name, inside),
      })),
    }) as unknown as DataTransfer

  it('are read with all subfolders, parents first', async () => {
    const { files, folders } = await readDroppedFiles(
      transferOf({ top: null, site: { a: null, b: null, c: null, css: { d: null }, none: {} } })
    )
    expect(folders).toEqual(['site', 'site/css', 'site/none'])
    expect(files.map(({ file, folder }) => `${folder}: ${file.name}`)).toEqual([
      ': top',
      'site: a',
      'site: b',
      'site: c',
      'site/css: d',
    ])
  })

  it('are read without folders if none was dropped', async () => {
    const { files, folders } = await readDroppedFiles(transferOf({ a: null, b: null }))
    expect([files.length, folders.length]).toEqual([2, 0])
  })
})

describe('Message after an extraction', () => {
  it('names skipped and replaced files once the operation is done', () => {
    const words = (leftOut: object, status = 'done') =>
      unzipSkippedFilesMessage({ title: 'Unzip a.zip', status, result: { leftOut } } as never)
    expect(words({ junk: 1, links: 2_000 })).toBe(
      'Unzip a.zip: done. Skipped 2,000 links to a target outside the archive and 1 file created by desktop systems (__MACOSX, .DS_Store, Thumbs.db).'
    )
    expect(words({ junk: 0, links: 0 })).toBeNull()
    expect(words({ junk: 1, links: 0 }, 'running')).toBeNull()
    const result = { starterPage: 'index.html' }
    expect(unzipSkippedFilesMessage({ title: 'Unzip', status: 'done', result } as never)).toBe(
      'Unzip: done. Replaced the starter page index.html.'
    )
    const merged = {
      replaced: { count: 3, names: ['a', 'b'] },
      skipped: { count: 1, names: ['c'] },
    }
    expect(
      unzipSkippedFilesMessage({ title: 'Unzip', status: 'done', result: merged } as never)
    ).toBe(
      'Unzip: done. Replaced 3 existing files: a, b and 1 more. Did not replace 1 existing file: c.'
    )
  })
})

describe('Existing files during an extraction', () => {
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  for (const [pressed, decision] of [
    [['Replace all'], { existing: 'replace', exceptions: [] }],
    [['Skip', 'Replace', 'Replace all'], { existing: 'replace', exceptions: ['a'] }],
    [['Skip', 'Replace', 'Skip'], { existing: 'skip', exceptions: ['b'] }],
  ] as const) {
    it(`are decided one by one or all at once: ${pressed.join(', ')}`, () => {
      const onDecision = vi.fn()
      const onStop = vi.fn()
      const names = pressed.at(-1) === 'Skip' ? ['a', 'b', 'c'] : ['a', 'b', 'c', 'd']
      render(
        <MantineProvider env="test">
          <ExistingUnzipDialog
            existing={{ count: names.length, names }}
            onDecision={onDecision}
            onStop={onStop}
          />
        </MantineProvider>
      )
      expect(screen.getByText('“a” already exists.')).toBeTruthy()
      for (const name of pressed) press(name)
      expect(onDecision).toHaveBeenCalledWith(decision)
      expect(onStop).not.toHaveBeenCalled()
      press('Stop')
      expect(onStop).toHaveBeenCalled()
      cleanup()
    })
  }
})

describe('Existing files that the extraction does not list', () => {
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  for (const [pressed, decision] of [
    [['Skip', 'Replace', 'Skip all'], { existing: 'skip', exceptions: ['.berth-raw-636166e9'] }],
    [['Skip', 'Replace', 'Replace all'], { existing: 'replace', exceptions: ['a/b'] }],
  ] as const) {
    it(`are decided by a separate question: ${pressed.join(', ')}`, () => {
      const onDecision = vi.fn()
      render(
        <MantineProvider env="test">
          <ExistingUnzipDialog
            existing={{ count: 314, names: ['a/b', '.berth-raw-636166e9'] }}
            onDecision={onDecision}
            onStop={() => {}}
          />
        </MantineProvider>
      )
      press(pressed[0])
      expect(screen.getByText('“caf\ufffd” already exists.')).toBeTruthy()
      press(pressed[1])
      expect(onDecision).not.toHaveBeenCalled()
      expect(screen.getByText('312 more files already exist.')).toBeTruthy()
      press(pressed[2])
      expect(onDecision).toHaveBeenCalledWith(decision)
      cleanup()
    })
  }
})

describe('Names that are not valid text', () => {
  const wire = '.berth-raw-636166e9'

  it('are shown readably, and sent in their encoded form', () => {
    show([row('caf\ufffd', { wire }), row('plain')])
    const link = screen.getByRole('link', { name: 'caf\ufffd' })
    expect(link.getAttribute('href')).toContain(`path=/site/${wire}`)
    expect(displayNameOf(`site/${wire}`)).toBe('caf\ufffd')
    expect(displayNameOf('site/.berth-raw-x')).toBe('.berth-raw-x')
  })

  it('have the same menu as other names', () => {
    const { onMenu } = show([row('caf\ufffd', { wire })])
    fireEvent.click(screen.getByRole('button', { name: 'Actions for caf\ufffd' }))
    expect(onMenu).toHaveBeenCalled()
  })
})

describe('Fix ownership dialog', () => {
  it('sends the request after a confirmation, and reports the result', async () => {
    const fetched = vi.fn(async (_path: string, _init: RequestInit) =>
      Response.json({ success: true, message: 'Fixed.', data: { changed: 2 } })
    )
    vi.stubGlobal('fetch', fetched)
    const [onClose, onDone] = [vi.fn(), vi.fn()]
    render(
      <MantineProvider>
        <FixOwnershipDialog opened instance={7} area="admin" onClose={onClose} onDone={onDone} />
      </MantineProvider>
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Fix ownership' }))
    await waitFor(() => expect(onDone).toHaveBeenCalled())
    expect(onClose).toHaveBeenCalled()
    expect(fetched.mock.calls[0][0]).toBe('/admin/file-manager/fix-ownership')
    expect(fetched.mock.calls[0][1].body).toBe('{"server_instance_id":7}')
    vi.unstubAllGlobals()
  })
})

describe('File sizes', () => {
  it('have units', () => {
    expect([0, 1023, 1536, 20 * 1024 ** 2, 3 * 1024 ** 4].map(formatSize)).toEqual([
      '0 B',
      '1023 B',
      '1.5 KB',
      '20 MB',
      '3.0 TB',
    ])
  })
})

describe('Line endings', () => {
  it('determine the editor’s separator, and have a label', () => {
    expect(lineSeparator('a\r\nb\r\n')).toBe('\r\n')
    for (const text of ['a\nb', 'a\r\nb\nc', 'a\rb\r\n', 'none', ''])
      expect(lineSeparator(text)).toBe('\n')
    expect(lineEndingLabel('a\r\nb\nc')).toBe('Mixed line endings')
    expect(lineEndingLabel('a\r\nb')).toBe('CRLF')
    expect(lineEndingLabel('a')).toBe('LF')
  })

  for (const text of ['a\r\nb\r\n', 'a\nb\n', 'a\r\nb\nc\rd\r\n', '\r\n', '']) {
    it(`stay unchanged in the editor: ${JSON.stringify(text)}`, async () => {
      const { EditorState } = await import('@codemirror/state')
      const separator = EditorState.lineSeparator.of(lineSeparator(text))
      expect(EditorState.create({ doc: text, extensions: [separator] }).sliceDoc()).toBe(text)
    })
  }
})

describe('Sort order of files', () => {
  const rows = [
    row('b10', { size: 5 }),
    row('b9', { size: 9 }),
    row('z', { type: 'folder' }),
    row('A'),
  ]
  const names = (by: 'name' | 'size', down: boolean) =>
    sortRows(rows, { by, down }).map(({ name }) => name)
  it('keeps folders first, and compares numbers in names as numbers', () => {
    expect(names('name', false)).toEqual(['z', 'A', 'b9', 'b10'])
    expect(names('name', true)).toEqual(['z', 'b10', 'b9', 'A'])
    expect(names('size', true)).toEqual(['z', 'b9', 'b10', 'A'])
  })
})

describe('File table', () => {
  it('opens the menu by button and right click, and handles keys', () => {
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

  it('renders only visible rows of ten thousand', () => {
    show(Array.from({ length: 10_000 }, (_, index) => row(`file-${index}`)))
    expect(screen.getAllByRole('row').length).toBeLessThan(200)
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10001')
  })
})

describe('Selection of rows', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((name) => row(name))

  it('by checkboxes: one row, a range with Shift, all rows', () => {
    const shown = show(five)
    fireEvent.click(boxOf('Select b'))
    expect(chosenOf(shown)).toEqual(['b'])
    expect(boxOf('Select all').indeterminate).toBe(true)
    fireEvent.click(boxOf('Select d'), { shiftKey: true })
    expect(chosenOf(shown)).toEqual(['b', 'c', 'd'])
    fireEvent.click(boxOf('Select a'), { shiftKey: true })
    expect(chosenOf(shown)).toEqual(['a', 'b'])
    fireEvent.click(boxOf('Select a'))
    expect(chosenOf(shown)).toEqual(['b'])
    fireEvent.click(boxOf('Select all'))
    expect(chosenOf(shown)).toHaveLength(5)
    expect(boxOf('Select all').checked).toBe(true)
    fireEvent.click(boxOf('Select all'))
    expect(chosenOf(shown)).toEqual([])
  })

  it('by keys: Space, Shift with arrows, all, none', () => {
    const shown = show(five)
    fireEvent.keyDown(lineOf('b'), { key: ' ' })
    expect(chosenOf(shown)).toEqual(['b'])
    fireEvent.keyDown(lineOf('b'), { key: 'ArrowDown', shiftKey: true })
    fireEvent.keyDown(lineOf('c'), { key: 'ArrowDown', shiftKey: true })
    expect(chosenOf(shown)).toEqual(['b', 'c', 'd'])
    expect(document.activeElement).toBe(lineOf('d'))
    fireEvent.keyDown(lineOf('d'), { key: 'ArrowUp', shiftKey: true })
    expect(chosenOf(shown)).toEqual(['b', 'c'])
    // Without Shift, an arrow key only moves the focus. The next range then starts at the focused row.
    fireEvent.keyDown(lineOf('c'), { key: 'ArrowDown' })
    expect(chosenOf(shown)).toEqual(['b', 'c'])
    fireEvent.keyDown(lineOf('d'), { key: 'End', shiftKey: true })
    expect(chosenOf(shown)).toEqual(['d', 'e'])
    fireEvent.keyDown(lineOf('e'), { key: 'a', ctrlKey: true })
    expect(chosenOf(shown)).toHaveLength(5)
    fireEvent.keyDown(lineOf('e'), { key: 'Escape' })
    expect(chosenOf(shown)).toEqual([])
  })

  it('stays with the same row if the sort order changes', () => {
    show([row('small', { size: 9 }), row('z large', { size: 1 })])
    fireEvent.click(boxOf('Select small'))
    fireEvent.click(screen.getByRole('button', { name: /^Size/ }))
    expect(boxOf('Select small').checked).toBe(true)
    expect(boxOf('Select z large').checked).toBe(false)
  })

  it('can contain all of ten thousand rows, also unrendered ones', () => {
    const shown = show(Array.from({ length: 10_000 }, (_, index) => row(`file-${index}`)))
    fireEvent.click(boxOf('Select file-3'))
    fireEvent.keyDown(lineOf('file-3'), { key: 'End', shiftKey: true })
    expect(chosenOf(shown)).toHaveLength(9_997)
  })

  it('keys copy and cut the selection, unless text is selected', () => {
    const shown = show(five, ['c'])
    expect(lineOf('c').dataset.cut).toBe('true')
    fireEvent.keyDown(lineOf('a'), { key: 'c', ctrlKey: true })
    fireEvent.keyDown(lineOf('b'), { key: 'x', metaKey: true })
    expect(shown.onCopy.mock.lastCall?.[0].name).toBe('a')
    expect(shown.onCut.mock.lastCall?.[0].name).toBe('b')
    window.getSelection()!.selectAllChildren(lineOf('a'))
    fireEvent.keyDown(lineOf('a'), { key: 'c', ctrlKey: true })
    expect(shown.onCopy).toHaveBeenCalledTimes(1)
    window.getSelection()!.removeAllRanges()
  })
})

describe('Selection bar', () => {
  const bar = (
    chosen: FileRow[],
    more: { barred?: string; atOnce?: number; download?: string | null } = {}
  ) => {
    const acts = {
      onCopy: vi.fn(),
      onCut: vi.fn(),
      onDelete: vi.fn(),
      onMode: vi.fn(),
      onClear: vi.fn(),
    }
    const { barred = null, atOnce = 500, download = '/zip' } = more
    render(
      <MantineProvider>
        <SelectionBar
          rows={[row('a'), row('b')]}
          selected={chosen}
          barred={barred}
          atOnce={atOnce}
          download={download}
          {...acts}
        />
      </MantineProvider>
    )
    return acts
  }
  const button = (name: string) => screen.getByRole('button', { name })

  it('shows the number of items, and no buttons without a selection', () => {
    bar([])
    expect(screen.getByRole('status').textContent).toBe('2 items')
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('offers actions, or disables them with the reason', () => {
    const acts = bar([row('a'), row('b', { link: 'c' })])
    expect(screen.getByRole('status').textContent).toBe('2 selected')
    fireEvent.click(button('Cut'))
    expect(acts.onCut).toHaveBeenCalled()
    fireEvent.click(button('Change mode'))
    expect(acts.onMode).not.toHaveBeenCalled()
    expect(button('Change mode').getAttribute('aria-description')).toMatch(
      /^“b” is a symbolic link/
    )
  })

  it('offers a download, unless its URL would be too long', () => {
    bar([row('a'), row('b')])
    expect(screen.getByRole('link', { name: 'Download' }).getAttribute('href')).toBe('/zip')
    cleanup()
    bar([row('a'), row('b')], { download: null })
    expect(screen.queryByRole('link', { name: 'Download' })).toBeNull()
    expect(button('Download').getAttribute('aria-description')).toMatch(/^Too many items/)
  })

  it('disables actions for people who can only read, and above the maximum number of items', () => {
    for (const more of [{ barred: 'You may only look.' }, { atOnce: 1 }]) {
      const acts = bar([row('a'), row('b')], more)
      for (const name of ['Copy', 'Cut', 'Change mode', 'Delete']) {
        fireEvent.click(button(name))
        const reason = button(name).getAttribute('aria-description')
        expect(reason).toBe(more.barred ?? 'You can select at most 1 items at once.')
      }
      fireEvent.click(button('Clear'))
      expect(Object.values(acts).flatMap(({ mock }) => mock.calls)).toHaveLength(1)
      cleanup()
    }
  })

  it('a deletion of several files asks for one confirmation with the first names', async () => {
    const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => row(name))
    const onConfirm = vi.fn(async () => ({ success: true, message: '', status: 200, errors: {} }))
    const onClose = vi.fn()
    render(
      <MantineProvider>
        <DeleteDialog rows={rows} folder="site" onConfirm={onConfirm} onClose={onClose} />
      </MantineProvider>
    )
    await screen.findByText('Sure to delete: 7 items')
    expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'and 2 more',
    ])
    fireEvent.click(button('Delete'))
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith(rows)
  })

  it('the mode dialog accepts a typed mode and checkboxes', async () => {
    const onConfirm = vi.fn(async () => ({ success: true, message: '', status: 200, errors: {} }))
    render(
      <MantineProvider>
        <FileModeDialog
          rows={[row('run.sh'), row('dir', { type: 'folder' })]}
          onConfirm={onConfirm}
          onClose={vi.fn()}
        />
      </MantineProvider>
    )
    const mode = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Mode' })
    expect(mode.value).toBe('644')
    const owner = within(screen.getByRole('group', { name: 'Owner' }))
    fireEvent.click(owner.getByRole('checkbox', { name: 'Execute' }))
    expect(mode.value).toBe('744')
    fireEvent.change(mode, { target: { value: '4755' } })
    expect(button('Change mode').getAttribute('aria-description')).toMatch(/three digits/)
    fireEvent.change(mode, { target: { value: '0750' } })
    expect(owner.getByRole<HTMLInputElement>('checkbox', { name: 'Write' }).checked).toBe(true)
    fireEvent.click(screen.getByRole('checkbox', { name: 'Also change everything inside folders' }))
    fireEvent.click(button('Change mode'))
    await waitFor(() => expect(onConfirm).toHaveBeenCalledExactlyOnceWith('0750', true))
  })
})

describe('File clipboard', () => {
  const clip: ClipboardContent = {
    kind: 'cut',
    instance: 3,
    folder: 'site',
    paths: ['site/a', 'site/b'],
  }
  afterEach(() => fileClipboard.set(null))

  it('pasting is disabled with a reason', () => {
    expect(pasteDisabledReason(null, 3, 'site')).toBe('Copy or cut something first.')
    expect(pasteDisabledReason(clip, 4, '')).toMatch(/another server instance/)
    expect(pasteDisabledReason(clip, 3, 'site')).toMatch(/in this folder/)
    expect(pasteDisabledReason(clip, 3, 'site/b')).toBeNull()
    expect(pasteDisabledReason({ ...clip, kind: 'copy' }, 3, 'site')).toBeNull()
    expect([1, 2, 1_200].map(itemCountLabel)).toEqual(['1 item', '2 items', '1,200 items'])
  })

  it('notifies subscribers', () => {
    const watcher = vi.fn()
    const stop = fileClipboard.subscribe(watcher)
    fileClipboard.set(clip)
    expect(fileClipboard.content()).toBe(clip)
    stop()
    fileClipboard.set(null)
    expect(watcher).toHaveBeenCalledTimes(1)
  })

  it('survives a reload, and ignores invalid stored data', async () => {
    const reloaded = async () => {
      vi.resetModules()
      return (await import('./file_clipboard')).fileClipboard.content()
    }
    fileClipboard.set(clip)
    expect(await reloaded()).toEqual(clip)
    for (const odd of [
      '{',
      '{"kind":"cut"}',
      '{"kind":"cut","instance":3,"folder":"","paths":[]}',
    ]) {
      window.sessionStorage.setItem('file-manager-clipboard', odd)
      expect(await reloaded()).toBeNull()
    }
    fileClipboard.set(null)
    expect(await reloaded()).toBeNull()
  })
})

describe('Uploads', () => {
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
    end(status: number, answer: object | string = {}) {
      const responseText = typeof answer === 'string' ? answer : JSON.stringify(answer)
      Object.assign(this, { status, responseText })
      this.onload?.()
    }
  }
  const states = () => uploadQueue.all().map(({ state }) => state)
  const add = (
    sizes: Record<string, number>,
    together: { bytes: number; files: number; total: number },
    to: { folder: string; instance: number } = { folder: 'site', instance: 3 },
    batch = uploadQueue.newBatch()
  ) => {
    const files = Object.entries(sizes).map(([name, size]) => new File(['x'.repeat(size)], name))
    const taken = new Set(['old.txt'])
    uploadQueue.add(files, { ...to, batch, limit: 5, together, resumableAbove: 100, taken })
    return batch
  }

  beforeEach(() => {
    sent.length = 0
    vi.stubGlobal('XMLHttpRequest', Request)
    return () => {
      for (const { id } of uploadQueue.all()) uploadQueue.cancel(id)
      uploadQueue.clear()
      vi.unstubAllGlobals()
    }
  })

  it('ask before they replace a file, reject too large ones, and can be cancelled', () => {
    add({ 'new.txt': 1, 'old.txt': 1, 'big.bin': 9 }, { bytes: 0, files: 9, total: 9 })
    expect(states()).toEqual(['sending', 'taken', 'failed'])
    const [first, second] = uploadQueue.all()
    uploadQueue.replace(second.id)
    expect(sent[1].url).toContain('overwrite=1')
    uploadQueue.cancel(first.id)
    expect(sent[0].abort).toHaveBeenCalled()
    expect(uploadQueue.all()[0].state).toBe('cancelled')
    uploadQueue.clear()
    expect(states()).toEqual(['sending'])
  })

  it('replace or skip existing files, including those reported later, or stop', () => {
    const together = { bytes: 0, files: 9, total: 9 }
    const batch = add({ 'a.txt': 1, 'old.txt': 1, 'b.txt': 1 }, together)
    uploadQueue.replaceAll(batch)
    sent[0].end(409, { code: 'exists', message: 'It exists already.' })
    sent[1].end(201)
    expect(sent.map(({ url }) => url.includes('overwrite=1'))).toEqual([false, false, true, true])
    sent[2].end(201)
    uploadQueue.stop(batch)
    expect(states()).toEqual(['done', 'cancelled', 'done'])
    expect(uploadQueue.all().map(({ message }) => message)).toEqual([
      'Replaced',
      'Upload cancelled.',
      '',
    ])
    uploadQueue.clear()
    add({ 'old.txt': 1 }, together)
    uploadQueue.skip(uploadQueue.all()[0].id)
    expect(states()).toEqual(['cancelled'])
  })

  it('have a question about existing files for each upload and each folder', () => {
    const together = { bytes: 0, files: 9, total: 9 }
    const drop = uploadQueue.newBatch()
    add({ 'a.txt': 1, 'old.txt': 1 }, together, { folder: 'site', instance: 3 }, drop)
    add({ 'old.txt': 1 }, together, { folder: 'site/below', instance: 3 }, drop)
    add({ 'old.txt': 1, 'b.txt': 1 }, together, { folder: '', instance: 4 })
    render(
      <MantineProvider env="test">
        <ExistingUploadsDialog serverInstances={[{ id: 3, name: 'shop' }]} />
      </MantineProvider>
    )
    const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
    expect(screen.getByText('“old.txt” already exists in /site on shop.')).toBeTruthy()
    expect(
      screen.getByText(
        '2 of the 3 files in this upload already exist. “Replace all” and “Stop” apply only to this upload.'
      )
    ).toBeTruthy()
    press('Replace all')
    expect(states()).toEqual(['sending', 'waiting', 'waiting', 'taken', 'sending'])
    act(() => sent[1].end(409, { code: 'exists', message: 'It exists already.' }))
    expect(states().slice(3)).toEqual(['taken', 'taken'])
    press('Stop')
    expect(states()).toEqual(['sending', 'sending', 'waiting', 'cancelled', 'cancelled'])
    cleanup()
  })

  it('send small files in one request, and one by one after a rejection', () => {
    const arrived = vi.fn()
    const stop = uploadQueue.onArrival(arrived)
    add({ a: 2, 'two words': 2, large: 4, c: 2, d: 2 }, { bytes: 2, files: 3, total: 9 })
    expect(sent.map(({ names }) => names)).toEqual([['a', 'two%20words', 'c'], ['large']])
    expect(sent[0].url).toMatch(/^\/file-manager\/upload-files\?path=site&/)
    sent[0].upload.onprogress!({ loaded: 3 })
    expect(uploadQueue.all().map((one) => one.sent)).toEqual([2, 1, 0, 0, 0])
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

  it('fail if a proxy answers instead of Berth, even with status 200', () => {
    add({ 'new.txt': 1 }, { bytes: 0, files: 9, total: 9 })
    sent[0].end(200, '<html>Accept the terms of this Wi-Fi network</html>')
    const [{ state, message }] = uploadQueue.all()
    expect(state).toBe('failed')
    expect(message).toMatch(/another server/)
  })

  it('send no more bytes in one request than allowed', () => {
    add({ a: 2, b: 2, c: 2 }, { bytes: 2, files: 9, total: 4 })
    expect(sent.map(({ names }) => names)).toEqual([['a', 'b'], ['c']])
  })

  it('continue without a cancelled file', () => {
    add({ a: 1, b: 1, c: 1 }, { bytes: 2, files: 9, total: 9 })
    uploadQueue.cancel(uploadQueue.all()[1].id)
    expect(sent.map(({ names }) => names)).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
    ])
    sent[1].end(201)
    expect(states()).toEqual(['done', 'cancelled', 'done'])
  })
})
