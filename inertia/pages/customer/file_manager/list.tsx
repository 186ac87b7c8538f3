import {
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
  type DragEvent,
} from 'react'
import { Head, router, usePage } from '@inertiajs/react'
import { Alert, Button, Menu, NativeSelect } from '@mantine/core'
import { writeClipboard } from '@ui/copy_button'
import { DisabledReason } from '@ui/disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { notify } from '@ui/notify'
import { PageHeader } from '@ui/page_header'
import { prefixOf } from '~/area'
import { call } from '~/call'
import {
  downloadHref,
  fileManager,
  folderHref,
  joinPath,
  keyOf,
  nameOf,
  parentOf,
  pathOf,
  shownName,
  zipHref,
} from '~/components/file_manager/addresses'
import { Breadcrumb } from '~/components/file_manager/breadcrumb'
import {
  clipboard,
  type Clip,
  itemsText,
  pasteCalls,
  whyNotPaste,
} from '~/components/file_manager/clipboard'
import { DeleteDialog } from '~/components/file_manager/delete_dialog'
import { type Dropped, readDropped } from '~/components/file_manager/dropped'
import { FixOwnership } from '~/components/file_manager/fix_ownership'
import { leftOutWords } from '~/components/file_manager/left_out'
import { ModeDialog } from '~/components/file_manager/mode_dialog'
import { NameDialog } from '~/components/file_manager/name_dialog'
import { SelectionBar, tooManyText, whyNoMode } from '~/components/file_manager/selection_bar'
import { FileTable } from '~/components/file_manager/table'
import type { EntryType, FolderPage, Row } from '~/components/file_manager/types'
import { uploads } from '~/components/file_manager/uploads'
import { UploadTray } from '~/components/file_manager/upload_tray'
import { useSelection } from '~/components/file_manager/use_selection'
import { GitControls } from '~/components/git/controls'
import { LinkButton } from '~/components/link_button'
import { useOperation } from '~/components/operation/follow'
import { OperationProgress } from '~/components/operation/progress'
import type { OperationView } from '~/components/operation/types'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'
import styles from './list.module.css'

type Dialog =
  | { kind: 'make'; type: EntryType }
  | { kind: 'fix' }
  | { kind: 'rename' | 'unzip'; row: Row }
  | { kind: 'delete' | 'mode'; rows: Row[] }

type Work =
  ('store' | 'rename' | 'unzip-file' | 'delete') | ('copy' | 'move' | 'delete-many' | 'mode')

/** The folders and files of one folder of a server instance. */
export default function FileManagerList(props: FolderPage) {
  const { area, path, files, directories, problem, serverInstances } = props
  const { serverInstanceId: instance } = props
  const [menu, setMenu] = useState<{ row: Row; x: number; y: number } | null>(null)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const [over, setOver] = useState(false)
  const [started, setStarted] = useState<OperationView | null>(null)
  const picker = useRef<HTMLInputElement>(null)
  const operation = useOperation(started, area, () => router.reload())
  const leftOut = operation && leftOutWords(operation)
  const rows: Row[] = [
    ...directories.map((entry) => ({ ...entry, type: 'folder' as const })),
    ...files.map((entry) => ({ ...entry, type: 'file' as const })),
  ]
  const { keys, chosen, select, clear } = useSelection(rows, `${instance}/${path}`)
  const clip = useSyncExternalStore(clipboard.watch, clipboard.clip, clipboard.clip)
  const [pasting, setPasting] = useState(false)
  const usable = instance !== null && problem === null
  const { unavailable } = usePage<SharedProps>().props
  const forbidden = unavailable?.['instances.change'] ?? null
  const barred = forbidden ?? (usable ? null : (problem ?? 'There is no active server instance.'))

  useEffect(
    () =>
      uploads.onArrival((upload) => {
        if (upload.folder === path && upload.instance === instance) router.reload()
      }),
    [path, instance]
  )

  /** A refusal is said in the dialog that asked. */
  const run = async (name: Work, data: Record<string, unknown>) => {
    const result = await call<{ operation?: OperationView }>(`${fileManager(area)}/${name}`, {
      data: { ...data, server_instance_id: instance },
      toasts: 'successes',
    })
    if (result.success) {
      setDialog(null)
      if (result.data?.operation) setStarted(result.data.operation)
      else router.reload()
    } else if (result.status === 403) {
      void notify(result)
      setDialog({ kind: 'fix' })
    }
    // Of several, some may be done.
    if (!result.success && 'paths' in data) router.reload()
    return result
  }

  const take = (list: File[], below = '') => {
    if (list.length === 0 || instance === null) return
    const taken = new Set(below ? [] : rows.map(({ name }) => name))
    const { uploadLimit: limit, uploadTogether: together } = props
    const folder = below ? joinPath(path, below) : path
    uploads.add(list, { folder, instance, area, limit, together, taken })
  }

  /** Makes the folders first; what is in one that is there already is asked about, file by file. */
  const takeDropped = async (reading: Promise<Dropped>) => {
    const { files, folders } = await reading
    for (const folder of folders) {
      const made = await call(`${fileManager(area)}/store`, {
        data: {
          path: joinPath(path, parentOf(folder)),
          name: folder.slice(folder.lastIndexOf('/') + 1),
          type: 'folder',
          server_instance_id: instance,
        },
        toasts: 'none',
      })
      if (made.success || made.code === 'exists') continue
      const message = `The folder ${folder} could not be made: ${made.message}`
      return void notify({ success: false, message })
    }
    for (const folder of ['', ...folders]) {
      const here = files.filter((each) => each.folder === folder)
      take(
        here.map(({ file }) => file),
        folder
      )
    }
    if (folders.length > 0) router.reload()
  }

  const shownPath = `/${path.split('/').map(shownName).join('/')}`
  const copyPath = async () => {
    try {
      await writeClipboard(shownPath)
      void notify({ success: true, message: 'Path Copied!' })
    } catch {
      void notify({ success: false, message: `The browser did not allow copying: ${shownPath}` })
    }
  }

  const whyNot = (some: Row[]) =>
    barred ?? (some.length > props.atOnce ? tooManyText(props.atOnce) : null)

  const ask = (next: Dialog) => {
    const reason = whyNot('rows' in next ? next.rows : [])
    if (reason) void notify({ success: false, message: reason })
    else setDialog(next)
  }

  /** One file as it is, everything else as a zip. */
  const downloadOf = (some: Row[]) =>
    some.length === 1 && some[0].type === 'file'
      ? downloadHref(pathOf(path, some[0]), instance, area)
      : zipHref(path, some.map(keyOf), instance, area)

  /** What is done to a chosen row is done to all that are chosen. */
  const withOthers = (row: Row) => (keys.has(keyOf(row)) ? chosen : [row])

  const takeAlong = (kind: Clip['kind'], some: Row[]) => {
    const reason = whyNot(some)
    if (reason) return void notify({ success: false, message: reason })
    const paths = some.map((row) => pathOf(path, row))
    clipboard.put({ kind, instance: instance!, folder: path, paths })
  }

  const pasteReason = barred ?? whyNotPaste(clip, instance, path)
  const paste = async () => {
    if (!clip || pasteReason) {
      return void notify({ success: false, message: pasteReason ?? '' })
    }
    if (pasting) return
    setPasting(true)
    const result = await run(pasteCalls[clip.kind], { paths: clip.paths, folder: path })
    setPasting(false)
    if (result.success && clip.kind === 'cut') clipboard.put(null)
    else if (!result.success && result.status !== 403) void notify(result)
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'v' || !(event.ctrlKey || event.metaKey) || !clip) return
    const at = event.target instanceof Element ? event.target : document.body
    const isElsewhere = at.closest(
      '[role="dialog"], [contenteditable], textarea, input:not([type="checkbox"])'
    )
    if (isElsewhere || event.shiftKey || event.altKey) return
    event.preventDefault()
    void paste()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])

  const isCutHere = clip?.kind === 'cut' && clip.instance === instance && clip.folder === path
  const cut = new Set(isCutHere ? clip.paths.map((one) => one.slice(one.lastIndexOf('/') + 1)) : [])

  const changeMode = (some: Row[]) => {
    const link = whyNoMode(some)
    if (link) void notify({ success: false, message: link })
    else ask({ kind: 'mode', rows: some })
  }

  const unzip = (row: Row) => {
    if (row.type === 'file' && row.name.toLowerCase().endsWith('.zip')) {
      ask({ kind: 'unzip', row })
    } else void notify({ success: false, message: 'Not a zip file' })
  }

  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (barred) return
    takeDropped(readDropped(event.dataTransfer)).catch(() => {
      const message = 'The browser could not read what was dropped. Try again.'
      void notify({ success: false, message })
    })
  }

  return (
    <div
      className={styles.page}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (barred || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={drop}
    >
      <Head title={path ? `${nameOf(path)} - File Manager` : 'File Manager'} />
      <PageHeader
        title="File Manager"
        hint="Everything below the web root of a server instance. Drop folders and files of up to 500MB anywhere to upload them."
        action={
          <>
            <DisabledReason
              variant="default"
              reason={barred}
              onClick={() => setDialog({ kind: 'make', type: 'folder' })}
            >
              Add New Folder
            </DisabledReason>
            <DisabledReason
              variant="default"
              reason={barred}
              onClick={() => setDialog({ kind: 'make', type: 'file' })}
            >
              Add New File
            </DisabledReason>
            <DisabledReason reason={barred} onClick={() => picker.current?.click()}>
              Upload File
            </DisabledReason>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label="Files to upload"
              onChange={(event) => {
                take([...(event.currentTarget.files ?? [])])
                event.currentTarget.value = ''
              }}
            />
          </>
        }
      >
        <div className={styles.where}>
          <NativeSelect
            aria-label="Server instance"
            className={styles.instances}
            value={instance ?? ''}
            disabled={serverInstances.length === 0}
            data={[
              ...(instance === null ? [{ value: '', label: 'No server instance' }] : []),
              ...serverInstances.map(({ id, name, status }) => ({
                value: String(id),
                label: status === 'active' ? name : `${name} (${status})`,
              })),
            ]}
            onChange={(event) => visit(folderHref('', Number(event.currentTarget.value), area))}
          />
          {instance !== null && <Breadcrumb path={path} instance={instance} area={area} />}
          <Button size="compact-sm" variant="subtle" disabled={!usable} onClick={copyPath}>
            Copy Path
          </Button>
          {!props.isDenied && (
            <DisabledReason
              size="compact-sm"
              variant="subtle"
              reason={barred}
              onClick={() => setDialog({ kind: 'fix' })}
            >
              Fix ownership
            </DisabledReason>
          )}
          <DisabledReason
            size="compact-sm"
            variant="subtle"
            reason={pasteReason}
            loading={pasting}
            onClick={() => void paste()}
          >
            {clip?.instance === instance ? `Paste ${itemsText(clip.paths.length)}` : 'Paste'}
          </DisabledReason>
          {usable && area === 'customer' && (
            <div className={styles.git}>
              <GitControls path={path} serverInstanceId={instance} />
            </div>
          )}
        </div>
      </PageHeader>

      {operation && operation.status !== 'done' && <OperationProgress operation={operation} />}
      {leftOut && (
        <Alert
          role="status"
          className={styles.leftOut}
          withCloseButton
          closeButtonLabel="Close"
          onClose={() => setStarted(null)}
        >
          {leftOut}
        </Alert>
      )}

      {instance === null ? (
        <EmptyState
          title="No active server instance"
          hint="Files live on server instances. Create or start one first."
          action={
            <LinkButton href={`${prefixOf(area)}/server-instance/list`}>
              Server instances
            </LinkButton>
          }
        />
      ) : problem ? (
        <EmptyState
          title="This folder cannot be shown"
          hint={problem}
          action={
            props.isDenied ? (
              <DisabledReason reason={forbidden} onClick={() => setDialog({ kind: 'fix' })}>
                Fix ownership
              </DisabledReason>
            ) : (
              <Button onClick={() => router.reload()}>Try again</Button>
            )
          }
        />
      ) : rows.length === 0 ? (
        <EmptyState
          title="This folder is empty"
          hint="Drop files here, or choose some."
          action={
            <DisabledReason reason={barred} onClick={() => picker.current?.click()}>
              Choose files
            </DisabledReason>
          }
        />
      ) : (
        <>
          <SelectionBar
            rows={rows}
            chosen={chosen}
            atOnce={props.atOnce}
            barred={barred}
            download={downloadOf(chosen)}
            onCopy={() => takeAlong('copy', chosen)}
            onCut={() => takeAlong('cut', chosen)}
            onMode={() => changeMode(chosen)}
            onDelete={() => ask({ kind: 'delete', rows: chosen })}
            onClear={clear}
          />
          <FileTable
            rows={rows}
            path={path}
            instance={instance}
            area={area}
            onMenu={(row, point) => setMenu({ row, ...point })}
            onDelete={(row) => ask({ kind: 'delete', rows: withOthers(row) })}
            onRename={(row) => ask({ kind: 'rename', row })}
            onCopy={(row) => takeAlong('copy', withOthers(row))}
            onCut={(row) => takeAlong('cut', withOthers(row))}
            selected={keys}
            onSelect={select}
            cut={cut}
          />
        </>
      )}

      {menu && (
        <Menu opened position="bottom-start" onClose={() => setMenu(null)} returnFocus>
          <Menu.Target>
            <button
              type="button"
              tabIndex={-1}
              className={styles.point}
              style={{ left: menu.x, top: menu.y }}
              aria-label={`Menu of ${menu.row.name}`}
            />
          </Menu.Target>
          <Menu.Dropdown aria-label={`Actions for ${menu.row.name}`}>
            {barred && <Menu.Label>{barred}</Menu.Label>}
            <Menu.Item
              disabled={barred !== null}
              onClick={() => ask({ kind: 'rename', row: menu.row })}
            >
              Rename
            </Menu.Item>
            {menu.row.type === 'file' && (
              <Menu.Item
                component="a"
                href={downloadHref(pathOf(path, menu.row), instance, area)}
                download={menu.row.name}
              >
                Download
              </Menu.Item>
            )}
            <Menu.Item disabled={barred !== null} onClick={() => takeAlong('copy', [menu.row])}>
              Copy
            </Menu.Item>
            <Menu.Item disabled={barred !== null} onClick={() => takeAlong('cut', [menu.row])}>
              Cut
            </Menu.Item>
            <Menu.Item disabled={barred !== null} onClick={() => changeMode([menu.row])}>
              Change mode
            </Menu.Item>
            {menu.row.type === 'folder' && (
              <Menu.Item
                component="a"
                href={zipHref(pathOf(path, menu.row), [], instance, area) ?? undefined}
              >
                Download as zip
              </Menu.Item>
            )}
            <Menu.Item disabled={barred !== null} onClick={() => unzip(menu.row)}>
              Unzip
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="red"
              disabled={barred !== null}
              onClick={() => ask({ kind: 'delete', rows: [menu.row] })}
            >
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}

      {dialog?.kind === 'make' && (
        <NameDialog
          title={dialog.type === 'folder' ? 'Add New Folder' : 'Add New File'}
          label="Name"
          confirm="Add"
          onClose={() => setDialog(null)}
          onConfirm={(name) => run('store', { path, name, type: dialog.type })}
        />
      )}
      {dialog?.kind === 'rename' && (
        <NameDialog
          title="Rename"
          label="New name"
          confirm="Rename"
          initial={dialog.row.name}
          onClose={() => setDialog(null)}
          onConfirm={(name) =>
            run('rename', {
              oldPath: pathOf(path, dialog.row),
              newPath: joinPath(path, name),
            })
          }
        />
      )}
      {dialog?.kind === 'unzip' && (
        <NameDialog
          title={`Unzip ${dialog.row.name}`}
          label="Into folder"
          description="Relative to the web root; empty is the web root itself. Nothing that is there gets replaced."
          confirm="Unzip"
          initial={path}
          mayBeEmpty
          sameIsFine
          onClose={() => setDialog(null)}
          onConfirm={(destination) =>
            run('unzip-file', {
              file_path: pathOf(path, dialog.row),
              destination_path: destination,
            })
          }
        />
      )}
      {dialog?.kind === 'mode' && (
        <ModeDialog
          rows={dialog.rows}
          onClose={() => setDialog(null)}
          onConfirm={(mode, recursive) =>
            run('mode', { paths: dialog.rows.map((row) => pathOf(path, row)), mode, recursive })
          }
        />
      )}
      <DeleteDialog
        rows={dialog?.kind === 'delete' ? dialog.rows : null}
        folder={shownPath.slice(1)}
        onClose={() => setDialog(null)}
        onConfirm={async (some) => {
          const paths = some.map((row) => pathOf(path, row))
          const result =
            some.length === 1
              ? await run('delete', { type: some[0].type, path: paths[0] })
              : await run('delete-many', { paths })
          if (result.success) clear()
          return result
        }}
      />
      <FixOwnership
        opened={dialog?.kind === 'fix'}
        instance={instance}
        area={area}
        onClose={() => setDialog(null)}
        onDone={() => router.reload()}
      />
      <UploadTray />
    </div>
  )
}
