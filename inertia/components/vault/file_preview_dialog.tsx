import { useEffect, useMemo, useState } from 'react'
import { Button, Group } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { fileHref } from './paths_and_links'
import type { FileRow } from './types'
import styles from './vault.module.css'

const MAX_SHOWN_TEXT_BYTES = 64 * 1024
/** Larger PDFs have no preview, because a page holds the whole file in memory. */
const MAX_PDF_BYTES = 50 * 1024 ** 2

type PreviewKind = 'image' | 'audio' | 'video' | 'pdf' | 'text' | 'none'

const textLike = /^text\/|[/+](json|xml|javascript|x-sh|yaml|x-yaml|toml|sql)$/

export function previewKindOf({ type }: Pick<FileRow, 'type'>): PreviewKind {
  const plain = type.split(';')[0].trim().toLowerCase()
  const [first] = plain.split('/')
  if (first === 'image' || first === 'audio' || first === 'video') return first
  if (plain === 'application/pdf') return 'pdf'
  return textLike.test(plain) ? 'text' : 'none'
}

interface FilePreviewDialogProps {
  vault: number
  file: FileRow
  onClose: () => void
}

export function FilePreviewDialog({ vault, file, onClose }: FilePreviewDialogProps) {
  return (
    <Dialog opened onClose={onClose} title={file.name} size="xl">
      <div className={styles.preview}>
        <FilePreview vault={vault} file={file} />
      </div>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button component="a" variant="default" href={fileHref(vault, file.path)} target="_blank">
          Open
        </Button>
        <Button component="a" href={fileHref(vault, file.path, true)}>
          Download
        </Button>
      </Group>
    </Dialog>
  )
}

function FilePreview({ vault, file }: Omit<FilePreviewDialogProps, 'onClose'>) {
  const href = fileHref(vault, file.path)
  switch (previewKindOf(file)) {
    case 'image':
      return <img src={href} alt={file.name} />
    case 'audio':
      return <audio src={href} controls aria-label={file.name} />
    case 'video':
      return <video src={href} controls aria-label={file.name} />
    case 'pdf':
      return file.size > MAX_PDF_BYTES ? <NoPreview /> : <PdfPreview href={href} name={file.name} />
    case 'text':
      return <TextPreview href={href} file={file} />
    default:
      return <NoPreview />
  }
}

function NoPreview() {
  return <p className={styles.calm}>No preview available. Download the file.</p>
}

function LoadingPreview({ failed }: { failed: boolean }) {
  if (failed) return <p className={styles.calm}>The file could not be loaded. Try again.</p>
  return <div className={styles.bones} aria-busy />
}

function TextPreview({ href, file }: { href: string; file: FileRow }) {
  const { read, failed } = useFileBytes(href, MAX_SHOWN_TEXT_BYTES)
  if (!read) return <LoadingPreview failed={failed} />
  return (
    <>
      <pre tabIndex={0} aria-label={`Text of ${file.name}`}>
        {new TextDecoder().decode(read.slice(0, MAX_SHOWN_TEXT_BYTES))}
      </pre>
      {file.size > MAX_SHOWN_TEXT_BYTES && <p className={styles.calm}>Showing the first 64 KB.</p>}
    </>
  )
}

/** Uses a blob URL, because PDF viewers do not work with the CSP directive `sandbox` of the vault's responses. */
function PdfPreview({ href, name }: { href: string; name: string }) {
  const { read, failed } = useFileBytes(href)
  const url = useMemo(
    () => read && URL.createObjectURL(new Blob([read], { type: 'application/pdf' })),
    [read]
  )
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  return url ? <iframe src={url} title={name} /> : <LoadingPreview failed={failed} />
}

/** Loads the first `length` bytes of a file. Default: all. */
function useFileBytes(href: string, length?: number) {
  const [read, setRead] = useState<ArrayBuffer | null>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    const headers = length ? { Range: `bytes=0-${length - 1}` } : undefined
    fetch(href, { headers, signal: leaving.signal })
      .then(async (answer) => {
        // An empty file answers a range request with 416.
        const isEmpty = answer.status === 416
        if (!answer.ok && !isEmpty) throw new Error(String(answer.status))
        setRead(isEmpty ? new ArrayBuffer(0) : await answer.arrayBuffer())
      })
      .catch(() => setFailed(!leaving.signal.aborted))
    return () => leaving.abort()
  }, [href, length])
  return { read, failed }
}
