import { useEffect, useEffectEvent, useState } from 'react'
import { Modal } from '@mantine/core'
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs'
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs'
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import IconZoomIn from '@tabler/icons-react/dist/esm/icons/IconZoomIn.mjs'
import IconZoomOut from '@tabler/icons-react/dist/esm/icons/IconZoomOut.mjs'
import type { AreaPrefix } from '~/area_prefix'
import type { ChatFile } from './message_content'
import styles from './support.module.css'

/** Zoom levels that the specification requires (docs/product.md, "Live support"). */
const ZOOM_PERCENT = { least: 20, most: 100, step: 10, start: 50 }

interface AttachmentViewerProps {
  files: ChatFile[]
  /** Path of the attachment that was opened. */
  at: string
  prefix: AreaPrefix
  onClose: () => void
}

/** Shows the attachments of all loaded messages, one at a time. After the last one comes the first one again. */
export function AttachmentViewer({ files, at, prefix, onClose }: AttachmentViewerProps) {
  const [path, setPath] = useState(at)
  const [zoom, setZoom] = useState(ZOOM_PERCENT.start)
  const index = Math.max(
    0,
    files.findIndex((file) => file.path === path)
  )
  const file = files[index]
  const go = (step: number) => setPath(files[(index + step + files.length) % files.length].path)
  const by = (step: number) =>
    setZoom((now) =>
      Math.min(ZOOM_PERCENT.most, Math.max(ZOOM_PERCENT.least, now + step * ZOOM_PERCENT.step))
    )

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') go(-1)
    if (event.key === 'ArrowRight') go(1)
    if (event.key === '+') by(1)
    if (event.key === '-') by(-1)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])

  if (!file) return null
  const href = `${prefix}/${file.path}`
  return (
    <Modal
      opened
      fullScreen
      withCloseButton={false}
      onClose={onClose}
      padding={0}
      attributes={{ content: { 'aria-label': `Attachment ${file.name}` } }}
      classNames={{ body: styles.viewer }}
    >
      <div className={styles.tools}>
        <span className={styles.viewed}>
          {file.name} <small>{`${index + 1} of ${files.length}`}</small>
        </span>
        <ViewerButton
          label="Zoom out"
          off={zoom <= ZOOM_PERCENT.least}
          onClick={() => by(-1)}
          icon={IconZoomOut}
        />
        <output aria-label="Zoom">{zoom}%</output>
        <ViewerButton
          label="Zoom in"
          off={zoom >= ZOOM_PERCENT.most}
          onClick={() => by(1)}
          icon={IconZoomIn}
        />
        <a href={href} download={file.name} className={styles.tool} aria-label="Download">
          <IconDownload size={20} stroke={1.75} aria-hidden />
        </a>
        <ViewerButton label="Close" onClick={onClose} icon={IconX} />
      </div>
      <div className={styles.stage}>
        {file.isPicture ? (
          <img src={href} alt={file.name} style={{ width: `${zoom}%` }} />
        ) : (
          <b style={{ fontSize: `${zoom * 2}px` }}>{file.extension.toUpperCase()}</b>
        )}
      </div>
      <ViewerButton side="left" label="Previous" onClick={() => go(-1)} icon={IconChevronLeft} />
      <ViewerButton side="right" label="Next" onClick={() => go(1)} icon={IconChevronRight} />
    </Modal>
  )
}

interface ViewerButtonProps {
  label: string
  icon: typeof IconX
  off?: boolean
  side?: 'left' | 'right'
  onClick: () => void
}

function ViewerButton({ label, icon: Icon, off, side, onClick }: ViewerButtonProps) {
  return (
    <button
      type="button"
      className={styles.tool}
      data-side={side}
      aria-label={label}
      disabled={off}
      onClick={onClick}
    >
      <Icon size={20} stroke={1.75} aria-hidden />
    </button>
  )
}
