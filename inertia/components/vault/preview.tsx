import { Button, Group } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { openHref } from './addresses'
import type { FileRow } from './types'
import { useRead } from './use_read'
import styles from './vault.module.css'

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
      return <iframe src={href} title={file.name} />
    case 'text':
      return <Text vault={vault} name={file.path} />
    default:
      return <p className={styles.calm}>There is no preview of this kind of file. Download it.</p>
  }
}

function Text({ vault, name }: { vault: number; name: string }) {
  const query = new URLSearchParams({ name })
  const href = `/vault/${vault}/text?${query}` as `/vault/${number}/text`
  const { data, problem } = useRead<{ text: string; whole: boolean }>(href)
  if (problem) return <p className={styles.calm}>{problem}</p>
  if (!data) return <div className={styles.bones} aria-busy />
  return (
    <>
      <pre tabIndex={0} aria-label={`Text of ${name}`}>
        {data.text}
      </pre>
      {!data.whole && <p className={styles.calm}>Only the first 64 KB are shown.</p>}
    </>
  )
}
