import { useEffect, useEffectEvent, useRef, useState, type DragEvent } from 'react'
import { router } from '@inertiajs/react'
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { writeClipboard } from '@ui/copy_button'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { notify } from '@ui/notify'
import type { Action } from '~/components/action_menu'
import { NameDialog } from '~/components/file_manager/name_dialog'
import { UploadTray } from '~/components/file_manager/upload_tray'
import { useApiCall } from '~/components/use_api_call'
import { Breadcrumb } from './breadcrumb'
import { cdnUrl, fileHref, vaultHref } from './paths_and_links'
import { DeleteObjectsDialog, type ObjectSelection } from './delete_objects_dialog'
import { readDroppedFiles, type DroppedFile } from './dropped_files'
import { entryKey, ObjectTable, type ObjectEntry } from './object_table'
import { FilePreviewDialog } from './file_preview_dialog'
import { ShareLinkDialog } from './share_link_dialog'
import type { FileRow, VaultPage } from './types'
import { vaultUploadQueue } from './vault_upload_queue'
import { useObjects } from './use_objects'
import styles from './vault.module.css'

type OpenDialog =
  | { kind: 'folder' }
  | { kind: 'look' | 'share'; file: FileRow }
  | { kind: 'delete'; doomed: ObjectSelection }

const SEARCH_DEBOUNCE_MS = 250
const RELOADED_PROPS = ['objects', 'facts', 'problem', 'path', 'search']

export function ObjectBrowser({ page, barred }: { page: VaultPage; barred: string | null }) {
  const { vault, path, search, cdnHost, problem, uploadLimit } = page
  const [dialog, ask] = useState<OpenDialog | null>(null)
  const [over, setOver] = useState(false)
  const [selected, choose] = useState(new Map<string, ObjectEntry>())
  const [typed, setTyped] = useState<string | null>(null)
  const picker = useRef<HTMLInputElement>(null)
  const { run } = useApiCall()
  const { shown, showMore, busy } = useObjects(page)
  const entries: ObjectEntry[] = [...shown.folders.map((folder) => ({ folder })), ...shown.files]
  const isEmpty = entries.length === 0

  const arrive = useEffectEvent((to: number) => {
    if (to === vault.id) router.reload({ only: RELOADED_PROPS })
  })
  useEffect(() => vaultUploadQueue.onArrival((upload) => arrive(upload.vault)), [])

  const look = useDebouncedCallback((text: string) => {
    router.get(
      vaultHref(vault.id),
      { ...(path && { path }), ...(text && { search: text }) },
      {
        only: RELOADED_PROPS,
        preserveState: true,
        preserveScroll: true,
        replace: true,
      }
    )
  }, SEARCH_DEBOUNCE_MS)

  const bring = (files: DroppedFile[]) =>
    vaultUploadQueue.add(files, { vault: vault.id, limit: uploadLimit })

  const drop = async (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (barred) return void notify({ success: false, message: barred })
    bring(await readDroppedFiles(event.dataTransfer, path))
  }

  const copyAddress = async (name: string) => {
    const address = cdnUrl(cdnHost, vault.key, name)
    try {
      await writeClipboard(address)
      void notify({ success: true, message: 'CDN Copied!' })
    } catch {
      void notify({ success: false, message: `The browser did not allow copying: ${address}` })
    }
  }

  const doom = (some: ObjectEntry[]) =>
    ask({
      kind: 'delete',
      doomed: {
        folders: some.flatMap((one) => ('folder' in one ? [one.folder] : [])),
        files: some.flatMap((one) => ('folder' in one ? [] : [one.path])),
      },
    })

  const actionsOf = (entry: ObjectEntry): Action[] => {
    const remove = { label: 'Delete', reason: barred, danger: true, onClick: () => doom([entry]) }
    if ('folder' in entry) return [remove]
    const { path: name } = entry
    return [
      { label: 'Preview', onClick: () => ask({ kind: 'look', file: entry }) },
      { label: 'Download', onClick: () => window.location.assign(fileHref(vault.id, name, true)) },
      { label: 'Share', reason: barred, onClick: () => ask({ kind: 'share', file: entry }) },
      { label: 'Copy CDN address', onClick: () => void copyAddress(name) },
      remove,
    ]
  }

  const toggle = (entry: ObjectEntry) => {
    const next = new Map(selected)
    if (!next.delete(entryKey(entry))) next.set(entryKey(entry), entry)
    choose(next)
  }
  const marked = entries.filter((entry) => selected.has(entryKey(entry)))
  const all = marked.length === entries.length

  const upload = (
    <ButtonWithDisabledReason reason={barred} onClick={() => picker.current?.click()}>
      Upload files
    </ButtonWithDisabledReason>
  )

  return (
    <div
      className={styles.objects}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(!barred)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={drop}
    >
      <div className={styles.bar}>
        <Breadcrumb id={vault.id} name={vault.name} path={path} />
        <TextInput
          className={styles.search}
          aria-label="Search by name prefix"
          placeholder="Search by prefix"
          type="search"
          value={typed ?? search}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value)
            look(value)
          }}
        />
        <ButtonWithDisabledReason
          variant="default"
          reason={barred}
          onClick={() => ask({ kind: 'folder' })}
        >
          Create Folder
        </ButtonWithDisabledReason>
        {upload}
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={({ currentTarget }) => {
            bring([...(currentTarget.files ?? [])].map((file) => ({ file, folder: path })))
            currentTarget.value = ''
          }}
        />
      </div>
      {problem ? (
        <EmptyState
          title="The objects could not be loaded"
          hint={problem}
          action={<Button onClick={() => router.reload()}>Try again</Button>}
        />
      ) : isEmpty ? (
        <EmptyState
          title={search ? 'No results' : path ? 'This folder is empty' : 'No objects yet'}
          hint={
            search
              ? 'The search matches the start of names and is case-sensitive.'
              : 'Drop files and folders here, or choose files. Up to 500MB each.'
          }
          action={search ? undefined : upload}
        />
      ) : (
        <>
          <div className={styles.chosen}>
            <Checkbox
              size="xs"
              label="Select all"
              checked={all}
              indeterminate={marked.length > 0 && !all}
              onChange={() =>
                choose(new Map(all ? [] : entries.map((entry) => [entryKey(entry), entry])))
              }
            />
            {marked.length > 0 && (
              <>
                <span>{marked.length} selected</span>
                <ButtonWithDisabledReason
                  size="compact-sm"
                  variant="outline"
                  color="red"
                  reason={barred}
                  onClick={() => doom(marked)}
                >
                  Delete selected
                </ButtonWithDisabledReason>
              </>
            )}
          </div>
          <ObjectTable
            vault={vault.id}
            objects={shown}
            selected={new Set(selected.keys())}
            onChoose={toggle}
            onOpen={(file) => ask({ kind: 'look', file })}
            actionsOf={actionsOf}
          />
          {shown.next && (
            <div className={styles.more}>
              <Button variant="default" loading={busy} onClick={showMore}>
                Show more
              </Button>
            </div>
          )}
          <p className={styles.hint}>
            Drop files and folders anywhere here to upload them. Up to 500MB each.
          </p>
        </>
      )}
      {dialog?.kind === 'folder' && (
        <NameDialog
          title="Create Folder"
          label="Name"
          confirm="Create folder"
          onClose={() => ask(null)}
          onConfirm={async (name) => {
            const data = { vault_id: vault.id, type: 'folder', name, path }
            const answer = await run('/vault/object/store', data, 'successes')
            if (answer.success) ask(null)
            return answer
          }}
        />
      )}
      {dialog?.kind === 'look' && (
        <FilePreviewDialog vault={vault.id} file={dialog.file} onClose={() => ask(null)} />
      )}
      {dialog?.kind === 'share' && (
        <ShareLinkDialog vault={vault.id} name={dialog.file.path} onClose={() => ask(null)} />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteObjectsDialog
          vault={vault.id}
          doomed={dialog.doomed}
          onClose={() => ask(null)}
          onDone={() => choose(new Map())}
        />
      )}
      <UploadTray queue={vaultUploadQueue} />
    </div>
  )
}
