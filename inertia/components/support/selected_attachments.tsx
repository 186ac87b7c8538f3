import { useEffect, useRef, useState } from 'react'
import { Button, Group } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import type { AreaPrefix } from '~/area_prefix'
import { saveUnsentFiles, loadUnsentFiles, type UnsentFilesOwner } from './unsent_files'
import {
  MAX_FILES_PER_MESSAGE,
  uploadAttachments,
  attachmentError,
  type SelectedFile,
  type AttachmentKind,
} from './upload_attachments'
import styles from './support.module.css'

let nextId = 1

export function useSelectedFiles({ prefix, me, client }: UnsentFilesOwner) {
  const [selectedFiles, setSelectedFiles] = useState<SelectedFile[]>([])
  const [left, setLeft] = useState(0)
  const held = useRef(selectedFiles)
  useEffect(() => {
    held.current = selectedFiles
  })
  useEffect(() => () => held.current.forEach(revokePreview), [])
  // Whether the person has changed the selection. Stored files that load later must not replace it then.
  const touched = useRef(false)
  useEffect(() => {
    let left = false
    touched.current = false
    void loadUnsentFiles({ prefix, me, client }).then((stored) => {
      if (!left && !touched.current)
        setSelectedFiles(stored.slice(0, MAX_FILES_PER_MESSAGE).map(toSelectedFile))
    })
    return () => void (left = true)
  }, [prefix, me, client])
  const choose = (now: SelectedFile[]) => {
    touched.current = true
    held.current = now
    setSelectedFiles(now)
    saveUnsentFiles({ prefix, me, client }, now)
  }
  const add = (kind: AttachmentKind, files: File[]) => {
    const room = MAX_FILES_PER_MESSAGE - selectedFiles.length
    const more = files.slice(0, room).map((file) => toSelectedFile({ kind, file }))
    setLeft(Math.max(0, files.length - room))
    choose([...selectedFiles, ...more])
  }
  const remove = (one: SelectedFile) => {
    revokePreview(one)
    setLeft(0)
    choose(held.current.filter(({ id }) => id !== one.id))
  }
  const clear = () => {
    selectedFiles.forEach(revokePreview)
    setLeft(0)
    choose([])
  }
  return { chosen: selectedFiles, left, add, remove, clear }
}

function toSelectedFile({ kind, file }: Pick<SelectedFile, 'kind' | 'file'>): SelectedFile {
  const preview = kind === 'photo' ? URL.createObjectURL(file) : null
  return { id: nextId++, kind, file, preview }
}

function revokePreview({ preview }: SelectedFile) {
  if (preview) URL.revokeObjectURL(preview)
}

interface SelectedAttachmentsProps {
  prefix: AreaPrefix
  selected: ReturnType<typeof useSelectedFiles>
  onSend: (sent: { photos?: string; docs?: string; names: string[] }) => void
}

export function SelectedAttachments({ prefix, selected: held, onSend }: SelectedAttachmentsProps) {
  const { chosen, left, remove, clear } = held
  const [state, setState] = useState<'choosing' | 'uploading'>('choosing')
  const [problem, setProblem] = useState<string | null>(null)
  const barred = chosen.map(attachmentError).find(Boolean)

  const send = async () => {
    setState('uploading')
    setProblem(null)
    for (const kind of ['photo', 'doc'] as const) {
      const those = chosen.filter((one) => one.kind === kind)
      if (those.length === 0) continue
      const files = those.map(({ file }) => file)
      const result = await uploadAttachments(prefix, kind, files)
      if (!result.success) {
        setState('choosing')
        return setProblem(result.message)
      }
      const names = files.map(({ name }) => name)
      onSend({ [kind === 'photo' ? 'photos' : 'docs']: result.files, names })
      // Removes the sent files from the selection. If the rest fails, they must not be sent again.
      those.forEach(remove)
    }
    clear()
  }

  return (
    <section className={styles.attachments} aria-label="Attachments">
      <ul>
        {chosen.map((one) => {
          const why = attachmentError(one)
          return (
            <li key={one.id} data-barred={why ? true : undefined}>
              {one.preview ? (
                <img src={one.preview} alt="" />
              ) : (
                <b>{one.file.name.split('.').at(-1)?.slice(0, 5).toUpperCase()}</b>
              )}
              <span title={one.file.name}>{one.file.name}</span>
              {why && <small>{why}</small>}
              <button
                type="button"
                aria-label={`Remove ${one.file.name}`}
                disabled={state === 'uploading'}
                onClick={() => remove(one)}
              >
                <IconX size={14} stroke={2} aria-hidden />
              </button>
            </li>
          )
        })}
      </ul>
      {left > 0 && (
        <p role="status">{`A message can have at most ${MAX_FILES_PER_MESSAGE} attachments. ${left} were not added.`}</p>
      )}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem} Your files are still attached.{' '}
          <button type="button" onClick={() => void send()}>
            Retry
          </button>
        </p>
      )}
      <Group justify="flex-end" gap="xs">
        {state === 'uploading' ? (
          <span role="status">Uploading...</span>
        ) : (
          <>
            <Button variant="default" onClick={clear}>
              Cancel
            </Button>
            <ButtonWithDisabledReason reason={barred ?? null} onClick={() => void send()}>
              Send
            </ButtonWithDisabledReason>
          </>
        )}
      </Group>
    </section>
  )
}
