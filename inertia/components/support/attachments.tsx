import { useEffect, useRef, useState } from 'react'
import { Button, Group } from '@mantine/core'
import { DisabledReason } from '@ui/disabled_reason'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import type { Prefix } from '~/area'
import { keepFiles, loadStoredFiles, type FileOwner } from './stored_files'
import {
  MAX_FILES_PER_MESSAGE,
  upload,
  whyNotAttach,
  type SelectedFile,
  type Kind,
} from './uploads'
import styles from './support.module.css'

let next = 1

/**
 * The files that somebody chose and has not sent; more than ten are left out. They are kept over a reload.
 */
export function useSelectedFiles({ prefix, me, client }: FileOwner) {
  const [chosen, setChosen] = useState<SelectedFile[]>([])
  const [left, setLeft] = useState(0)
  const held = useRef(chosen)
  useEffect(() => {
    held.current = chosen
  })
  useEffect(() => () => held.current.forEach(forget), [])
  // What is read late never takes the place of what was chosen meanwhile.
  const touched = useRef(false)
  useEffect(() => {
    let left = false
    touched.current = false
    void loadStoredFiles({ prefix, me, client }).then((kept) => {
      if (!left && !touched.current) setChosen(kept.slice(0, MAX_FILES_PER_MESSAGE).map(chosenOf))
    })
    return () => void (left = true)
  }, [prefix, me, client])
  const choose = (now: SelectedFile[]) => {
    touched.current = true
    held.current = now
    setChosen(now)
    keepFiles({ prefix, me, client }, now)
  }
  const add = (kind: Kind, files: File[]) => {
    const room = MAX_FILES_PER_MESSAGE - chosen.length
    const more = files.slice(0, room).map((file) => chosenOf({ kind, file }))
    setLeft(Math.max(0, files.length - room))
    choose([...chosen, ...more])
  }
  const remove = (one: SelectedFile) => {
    forget(one)
    setLeft(0)
    choose(held.current.filter(({ id }) => id !== one.id))
  }
  const clear = () => {
    chosen.forEach(forget)
    setLeft(0)
    choose([])
  }
  return { chosen, left, add, remove, clear }
}

function chosenOf({ kind, file }: Pick<SelectedFile, 'kind' | 'file'>): SelectedFile {
  const preview = kind === 'photo' ? URL.createObjectURL(file) : null
  return { id: next++, kind, file, preview }
}

function forget({ preview }: SelectedFile) {
  if (preview) URL.revokeObjectURL(preview)
}

interface AttachmentsProps {
  prefix: Prefix
  chosen: ReturnType<typeof useSelectedFiles>
  onSend: (sent: { photos?: string; docs?: string; names: string[] }) => void
}

/** What goes with the next message, each to be taken out, until it is sent or left. */
export function Attachments({ prefix, chosen: held, onSend }: AttachmentsProps) {
  const { chosen, left, remove, clear } = held
  const [state, setState] = useState<'choosing' | 'uploading'>('choosing')
  const [problem, setProblem] = useState<string | null>(null)
  const barred = chosen.map(whyNotAttach).find(Boolean)

  const send = async () => {
    setState('uploading')
    setProblem(null)
    for (const kind of ['photo', 'doc'] as const) {
      const those = chosen.filter((one) => one.kind === kind)
      if (those.length === 0) continue
      const files = those.map(({ file }) => file)
      const result = await upload(prefix, kind, files)
      if (!result.success) {
        setState('choosing')
        return setProblem(result.message)
      }
      const names = files.map(({ name }) => name)
      onSend({ [kind === 'photo' ? 'photos' : 'docs']: result.files, names })
      // What is sent is not sent again when the rest fails.
      those.forEach(remove)
    }
    clear()
  }

  return (
    <section className={styles.attachments} aria-label="Attachments">
      <ul>
        {chosen.map((one) => {
          const why = whyNotAttach(one)
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
            <DisabledReason reason={barred ?? null} onClick={() => void send()}>
              Send
            </DisabledReason>
          </>
        )}
      </Group>
    </section>
  )
}
