import { useEffect, useEffectEvent, useRef, useState, type DragEvent } from 'react'
import { router } from '@inertiajs/react'
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { writeClipboard } from '@ui/copy_button'
import { DisabledReason } from '@ui/disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { notify } from '@ui/notify'
import type { Action } from '~/components/action_menu'
import { NameDialog } from '~/components/file_manager/name_dialog'
import { UploadTray } from '~/components/file_manager/upload_tray'
import { useCall } from '~/components/use_call'
import { Breadcrumb } from './breadcrumb'
import { cdnAddress, openHref, vaultHref } from './addresses'
import { DeleteObjects, type Doomed } from './delete_objects'
import { droppedFiles, type Placed } from './dropped_files'
import { keyOf, ObjectTable, type Entry } from './object_table'
import { Preview } from './preview'
import { Share } from './share'
import type { FileRow, VaultPage } from './types'
import { vaultUploads } from './uploads'
import { useObjects } from './use_objects'
import styles from './vault.module.css'

type Asked =
  | { kind: 'folder' }
  | { kind: 'look' | 'share'; file: FileRow }
  | { kind: 'delete'; doomed: Doomed }

const SEARCH_DEBOUNCE_MS = 250
const RELOADED_PROPS = ['objects', 'facts', 'problem', 'path', 'search']

/** The folders and files of a vault: looked through, brought, shared and deleted. */
export function Objects({ page, barred }: { page: VaultPage; barred: string | null }) {
  const { vault, path, search, cdnHost, problem, uploadLimit } = page
  const [asked, ask] = useState<Asked | null>(null)
  const [over, setOver] = useState(false)
  const [chosen, choose] = useState(new Map<string, Entry>())
  const [typed, setTyped] = useState<string | null>(null)
  const picker = useRef<HTMLInputElement>(null)
  const { run } = useCall()
  const { shown, showMore, busy } = useObjects(page)
  const entries: Entry[] = [...shown.folders.map((folder) => ({ folder })), ...shown.files]
  const isEmpty = entries.length === 0

  const arrive = useEffectEvent((to: number) => {
    if (to === vault.id) router.reload({ only: RELOADED_PROPS })
  })
  useEffect(() => vaultUploads.onArrival((upload) => arrive(upload.vault)), [])

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

  const bring = (files: Placed[]) =>
    vaultUploads.add(files, { vault: vault.id, limit: uploadLimit })

  const drop = async (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (barred) return void notify({ success: false, message: barred })
    bring(await droppedFiles(event.dataTransfer, path))
  }

  const copyAddress = async (name: string) => {
    const address = cdnAddress(cdnHost, vault.key, name)
    try {
      await writeClipboard(address)
      void notify({ success: true, message: 'CDN Copied!' })
    } catch {
      void notify({ success: false, message: `The browser did not allow copying: ${address}` })
    }
  }

  const doom = (some: Entry[]) =>
    ask({
      kind: 'delete',
      doomed: {
        folders: some.flatMap((one) => ('folder' in one ? [one.folder] : [])),
        files: some.flatMap((one) => ('folder' in one ? [] : [one.path])),
      },
    })

  const actionsOf = (entry: Entry): Action[] => {
    const remove = { label: 'Delete', reason: barred, danger: true, onClick: () => doom([entry]) }
    if ('folder' in entry) return [remove]
    const { path: name } = entry
    return [
      { label: 'Preview', onClick: () => ask({ kind: 'look', file: entry }) },
      { label: 'Download', onClick: () => window.location.assign(openHref(vault.id, name, true)) },
      { label: 'Share', reason: barred, onClick: () => ask({ kind: 'share', file: entry }) },
      { label: 'Copy CDN address', onClick: () => void copyAddress(name) },
      remove,
    ]
  }

  const toggle = (entry: Entry) => {
    const next = new Map(chosen)
    if (!next.delete(keyOf(entry))) next.set(keyOf(entry), entry)
    choose(next)
  }
  const marked = entries.filter((entry) => chosen.has(keyOf(entry)))
  const all = marked.length === entries.length

  const upload = (
    <DisabledReason reason={barred} onClick={() => picker.current?.click()}>
      Upload files
    </DisabledReason>
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
        <DisabledReason variant="default" reason={barred} onClick={() => ask({ kind: 'folder' })}>
          Create Folder
        </DisabledReason>
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
                choose(new Map(all ? [] : entries.map((entry) => [keyOf(entry), entry])))
              }
            />
            {marked.length > 0 && (
              <>
                <span>{marked.length} selected</span>
                <DisabledReason
                  size="compact-sm"
                  variant="outline"
                  color="red"
                  reason={barred}
                  onClick={() => doom(marked)}
                >
                  Delete selected
                </DisabledReason>
              </>
            )}
          </div>
          <ObjectTable
            vault={vault.id}
            objects={shown}
            chosen={new Set(chosen.keys())}
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
      {asked?.kind === 'folder' && (
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
      {asked?.kind === 'look' && (
        <Preview vault={vault.id} file={asked.file} onClose={() => ask(null)} />
      )}
      {asked?.kind === 'share' && (
        <Share vault={vault.id} name={asked.file.path} onClose={() => ask(null)} />
      )}
      {asked?.kind === 'delete' && (
        <DeleteObjects
          vault={vault.id}
          doomed={asked.doomed}
          onClose={() => ask(null)}
          onDone={() => choose(new Map())}
        />
      )}
      <UploadTray queue={vaultUploads} />
    </div>
  )
}
