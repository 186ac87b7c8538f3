import { useRef, useState } from 'react'
import { Head, router, usePage } from '@inertiajs/react'
import { Alert, Button, NativeSelect } from '@mantine/core'
import { writeClipboard } from '@ui/copy_button'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { notify } from '@ui/notify'
import { PageHeader } from '@ui/page_header'
import { prefixForArea } from '~/area_prefix'
import { call } from '~/api_call'
import {
  downloadHref,
  fileManagerHref,
  folderHref,
  entryKey,
  displayNameOf,
  entryPath,
  decodeDisplayName,
  zipHref,
} from '~/components/file_manager/paths_and_links'
import { Breadcrumb } from '~/components/file_manager/breadcrumb'
import { itemCountLabel } from '~/components/file_manager/file_clipboard'
import {
  FileDialogs,
  type FileEndpoint,
  type FileDialogState,
} from '~/components/file_manager/file_dialogs'
import {
  ExistingUnzipDialog,
  ExistingUploadsDialog,
} from '~/components/file_manager/existing_files_dialog'
import { unzipSkippedFilesMessage } from '~/components/file_manager/unzip_skipped_files_message'
import { RowMenu } from '~/components/file_manager/row_menu'
import {
  SelectionBar,
  tooManySelectedMessage,
  fileModeDisabledReason,
} from '~/components/file_manager/selection_bar'
import { FileTable } from '~/components/file_manager/file_table'
import type { FolderPage, FileRow } from '~/components/file_manager/types'
import { UploadTray } from '~/components/file_manager/upload_tray'
import { useFolderUploads } from '~/components/file_manager/use_folder_uploads'
import { useFileClipboard } from '~/components/file_manager/use_file_clipboard'
import { useSelection } from '~/components/file_manager/use_selection'
import { GitControls } from '~/components/git/git_controls'
import { LinkButton } from '~/components/link_button'
import { useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import type { OperationView } from '~/components/operation/types'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'
import styles from './list.module.css'

export default function FileManagerList(props: FolderPage) {
  const { area, path, files, directories, problem, serverInstances } = props
  const { serverInstanceId: instance } = props
  const [menu, setMenu] = useState<{ row: FileRow; x: number; y: number } | null>(null)
  const [dialog, setDialog] = useState<FileDialogState | null>(null)
  const [started, setStarted] = useState<OperationView | null>(null)
  const [unzipRequest, setUnzipRequest] = useState<Record<string, unknown>>({})
  const picker = useRef<HTMLInputElement>(null)
  const operation = useOperation(started, area, () => router.reload())
  const existing = operation?.status === 'failed' ? operation.result?.existing : undefined
  const leftOut = operation && unzipSkippedFilesMessage(operation)
  const rows: FileRow[] = [
    ...directories.map((entry) => ({ ...entry, type: 'folder' as const })),
    ...files.map((entry) => ({ ...entry, type: 'file' as const })),
  ]
  const { keys, chosen, select, clear } = useSelection(rows, `${instance}/${path}`)
  const usable = instance !== null && problem === null
  const { unavailable } = usePage<SharedProps>().props
  const forbidden = unavailable?.['instances.change'] ?? null
  const barred = forbidden ?? (usable ? null : (problem ?? 'You have no active server instance.'))

  const arrivals = useFolderUploads(props, rows, barred)

  /** The calling dialog shows the errors. After 403, a dialog offers to fix the ownership instead. */
  const run = async (name: FileEndpoint, data: Record<string, unknown>) => {
    const result = await call<{ operation?: OperationView }>(`${fileManagerHref(area)}/${name}`, {
      data: { ...data, server_instance_id: instance },
      toasts: 'successes',
    })
    if (result.success) {
      setDialog(null)
      if (result.data?.operation) {
        setUnzipRequest(data)
        setStarted(result.data.operation)
      } else router.reload()
    } else if (result.status === 403) {
      void notify(result)
      setDialog({ kind: 'fix' })
    }
    // A failed call for several paths may have succeeded for some of them, so the list is reloaded.
    if (!result.success && 'paths' in data) router.reload()
    return result
  }

  const shownPath = `/${path.split('/').map(decodeDisplayName).join('/')}`
  const copyPath = async () => {
    try {
      await writeClipboard(shownPath)
      void notify({ success: true, message: 'Path Copied!' })
    } catch {
      void notify({ success: false, message: `The browser did not allow copying: ${shownPath}` })
    }
  }

  const whyNot = (some: FileRow[]) =>
    barred ?? (some.length > props.atOnce ? tooManySelectedMessage(props.atOnce) : null)

  const clip = useFileClipboard({ instance, path, barred, whyNot, run })

  const ask = (next: FileDialogState) => {
    const reason = whyNot('rows' in next ? next.rows : [])
    if (reason) void notify({ success: false, message: reason })
    else setDialog(next)
  }

  /** Returns the URL of a single file, or of a zip of the rows. Null for too many rows or too long a URL of the zip. */
  const downloadOf = (some: FileRow[]) =>
    some.length === 1 && some[0].type === 'file'
      ? downloadHref(entryPath(path, some[0]), instance, area)
      : zipHref(path, some.map(entryKey), instance, area)

  /**
   * Returns the rows that an action on this row affects: all selected rows if this row is selected, otherwise only
   * this row.
   */
  const withOthers = (row: FileRow) => (keys.has(entryKey(row)) ? chosen : [row])

  const changeMode = (some: FileRow[]) => {
    const link = fileModeDisabledReason(some)
    if (link) void notify({ success: false, message: link })
    else ask({ kind: 'mode', rows: some })
  }

  return (
    <div className={styles.page} data-over={arrivals.over || undefined} {...arrivals.target}>
      <Head title={path ? `${displayNameOf(path)} - File Manager` : 'File Manager'} />
      <PageHeader
        title="File Manager"
        hint="All files below the web root of a server instance. Drop files (up to 500MB each) and folders anywhere to upload them."
        action={
          <>
            <ButtonWithDisabledReason
              variant="default"
              reason={barred}
              onClick={() => setDialog({ kind: 'make', type: 'folder' })}
            >
              Add New Folder
            </ButtonWithDisabledReason>
            <ButtonWithDisabledReason
              variant="default"
              reason={barred}
              onClick={() => setDialog({ kind: 'make', type: 'file' })}
            >
              Add New File
            </ButtonWithDisabledReason>
            <ButtonWithDisabledReason reason={barred} onClick={() => picker.current?.click()}>
              Upload File
            </ButtonWithDisabledReason>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label="Files to upload"
              onChange={(event) => {
                arrivals.take([...(event.currentTarget.files ?? [])])
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
            <ButtonWithDisabledReason
              size="compact-sm"
              variant="subtle"
              reason={barred}
              onClick={() => setDialog({ kind: 'fix' })}
            >
              Fix ownership
            </ButtonWithDisabledReason>
          )}
          <ButtonWithDisabledReason
            size="compact-sm"
            variant="subtle"
            reason={clip.reason}
            loading={clip.pasting}
            onClick={() => void clip.paste()}
          >
            {clip.waiting > 0 ? `Paste ${itemCountLabel(clip.waiting)}` : 'Paste'}
          </ButtonWithDisabledReason>
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
          hint="Files are stored on server instances. Create or start one first."
          action={
            <LinkButton href={`${prefixForArea(area)}/server-instance/list`}>
              Server instances
            </LinkButton>
          }
        />
      ) : problem ? (
        <EmptyState
          title="This folder could not be loaded"
          hint={problem}
          action={
            props.isDenied ? (
              <ButtonWithDisabledReason
                reason={forbidden}
                onClick={() => setDialog({ kind: 'fix' })}
              >
                Fix ownership
              </ButtonWithDisabledReason>
            ) : (
              <Button onClick={() => router.reload()}>Try again</Button>
            )
          }
        />
      ) : rows.length === 0 ? (
        <EmptyState
          title="This folder is empty"
          hint="Drop files here, or choose files."
          action={
            <ButtonWithDisabledReason reason={barred} onClick={() => picker.current?.click()}>
              Choose files
            </ButtonWithDisabledReason>
          }
        />
      ) : (
        <>
          <SelectionBar
            rows={rows}
            selected={chosen}
            atOnce={props.atOnce}
            barred={barred}
            download={downloadOf(chosen)}
            onCopy={() => clip.takeAlong('copy', chosen)}
            onCut={() => clip.takeAlong('cut', chosen)}
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
            onCopy={(row) => clip.takeAlong('copy', withOthers(row))}
            onCut={(row) => clip.takeAlong('cut', withOthers(row))}
            selected={keys}
            onSelect={select}
            cut={clip.cut}
          />
        </>
      )}

      {menu && (
        <RowMenu
          {...menu}
          barred={barred}
          download={
            menu.row.type === 'file'
              ? downloadHref(entryPath(path, menu.row), instance, area)
              : (zipHref(entryPath(path, menu.row), [], instance, area) ?? undefined)
          }
          onRename={() => ask({ kind: 'rename', row: menu.row })}
          onCopy={() => clip.takeAlong('copy', [menu.row])}
          onCut={() => clip.takeAlong('cut', [menu.row])}
          onMode={() => changeMode([menu.row])}
          onUnzip={() => ask({ kind: 'unzip', row: menu.row })}
          onDelete={() => ask({ kind: 'delete', rows: [menu.row] })}
          onClose={() => setMenu(null)}
        />
      )}

      <FileDialogs
        dialog={dialog}
        instance={instance}
        area={area}
        path={path}
        shownPath={shownPath.slice(1)}
        run={run}
        onDeleted={clear}
        onClose={() => setDialog(null)}
      />
      {operation && existing !== undefined && (
        <ExistingUnzipDialog
          key={operation.id}
          existing={existing as { count: number; names: string[] }}
          onStop={() => setStarted(null)}
          onDecision={async (decision) => {
            setStarted(null)
            const result = await run('unzip-file', Object.assign({}, unzipRequest, decision))
            if (!result.success) void notify(result)
          }}
        />
      )}
      <ExistingUploadsDialog serverInstances={serverInstances} />
      <UploadTray />
    </div>
  )
}
