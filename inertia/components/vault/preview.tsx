import { useEffect, useMemo, useState } from 'react'
import { Button, Group } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { openHref } from './addresses'
import type { FileRow } from './types'
import styles from './vault.module.css'

/** Of text, bytes that are shown. */
const MAX_SHOWN_TEXT_BYTES = 64 * 1024
/** Of a PDF, bytes that a page can hold. */
const MAX_PDF_BYTES = 50 * 1024 ** 2

type Kind = 'image' | 'audio' | 'video' | 'pdf' | 'text' | 'none'

const textLike = /^text\/|[/+](json|xml|javascript|x-sh|yaml|x-yaml|toml|sql)$/

/** How a file can be looked at, by its type. */
export function kindOf({ type }: Pick<FileRow, 'type'>): Kind {
  const plain = type.split(';')[0].trim().toLowerCase()
  const [first] = plain.split('/')
  if (first === 'image' || first === 'audio' || first === 'video') return first
  if (plain === 'application/pdf') return 'pdf'
  return textLike.test(plain) ? 'text' : 'none'
}

interface PreviewProps {
  vault: number
  file: FileRow
  onClose: () => void
}

/** A look at a file, by a link of its own to the vault's address. */
export function Preview({ vault, file, onClose }: PreviewProps) {
  return (
    <Dialog opened onClose={onClose} title={file.name} size="xl">
      <div className={styles.preview}>
        <Shown vault={vault} file={file} />
      </div>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button component="a" variant="default" href={openHref(vault, file.path)} target="_blank">
          Open
        </Button>
        <Button component="a" href={openHref(vault, file.path, true)}>
          Download
        </Button>
      </Group>
    </Dialog>
  )
}

function Shown({ vault, file }: Omit<PreviewProps, 'onClose'>) {
  const href = openHref(vault, file.path)
  switch (kindOf(file)) {
    case 'image':
      return <img src={href} alt={file.name} />
    case 'audio':
      return <audio src={href} controls aria-label={file.name} />
    case 'video':
      return <video src={href} controls aria-label={file.name} />
    case 'pdf':
      return file.size > MAX_PDF_BYTES ? <None /> : <Pdf href={href} name={file.name} />
    case 'text':
      return <Text href={href} file={file} />
    default:
      return <None />
  }
}

function None() {
  return <p className={styles.calm}>No preview available. Download the file.</p>
}

function Waiting({ failed }: { failed: boolean }) {
  if (failed) return <p className={styles.calm}>The file could not be loaded. Try again.</p>
  return <div className={styles.bones} aria-busy />
}

function Text({ href, file }: { href: string; file: FileRow }) {
  const { read, failed } = useBeginning(href, MAX_SHOWN_TEXT_BYTES)
  if (!read) return <Waiting failed={failed} />
  return (
    <>
      <pre tabIndex={0} aria-label={`Text of ${file.name}`}>
        {new TextDecoder().decode(read.slice(0, MAX_SHOWN_TEXT_BYTES))}
      </pre>
      {file.size > MAX_SHOWN_TEXT_BYTES && <p className={styles.calm}>Showing the first 64 KB.</p>}
    </>
  )
}

/** Where it comes from nothing may be shown in a frame; its bytes alone can be. */
function Pdf({ href, name }: { href: string; name: string }) {
  const { read, failed } = useBeginning(href)
  const url = useMemo(
    () => read && URL.createObjectURL(new Blob([read], { type: 'application/pdf' })),
    [read]
  )
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  return url ? <iframe src={url} title={name} /> : <Waiting failed={failed} />
}

/** The bytes of a file, all or so many from its beginning. */
function useBeginning(href: string, length?: number) {
  const [read, setRead] = useState<ArrayBuffer | null>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    const headers = length ? { Range: `bytes=0-${length - 1}` } : undefined
    fetch(href, { headers, signal: leaving.signal })
      .then(async (answer) => {
        // An empty file has no range.
        const isEmpty = answer.status === 416
        if (!answer.ok && !isEmpty) throw new Error(String(answer.status))
        setRead(isEmpty ? new ArrayBuffer(0) : await answer.arrayBuffer())
      })
      .catch(() => setFailed(!leaving.signal.aborted))
    return () => leaving.abort()
  }, [href, length])
  return { read, failed }
}
