import { useEffect, useState } from 'react'
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs'
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs'
import { notify } from './notify'
import styles from './copy_button.module.css'

export interface CopyButtonProps {
  /** Text to copy, or a function that fetches it. The function returns `null` if it fails. */
  value: string | (() => Promise<string | null>)
  /** Text of the toast, such as "IP Copied!". */
  copied: string
  /** Name of the copied value in the tooltip and for screen readers, such as "IP". */
  what?: string
}

/** @throws Error if the browser does not allow it */
export async function writeClipboard(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // On pages without HTTPS, browsers support copying only by `execCommand`.
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body
  host.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (!done) throw new Error('Copying failed')
}

export function CopyButton({ value, copied, what = 'text' }: CopyButtonProps) {
  const [done, setDone] = useState(0)

  useEffect(() => {
    if (!done) return
    const timer = window.setTimeout(() => setDone(0), 1500)
    return () => window.clearTimeout(timer)
  }, [done])

  const copy = async () => {
    try {
      const text = typeof value === 'string' ? value : await value()
      if (text === null) return
      await writeClipboard(text)
      setDone(Date.now())
      void notify({ success: true, message: copied })
    } catch {
      void notify({
        success: false,
        message: 'The browser did not allow copying. Select the text and copy it by hand.',
      })
    }
  }

  return (
    <button
      type="button"
      className={styles.button}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      {done ? (
        <IconCheck size={15} stroke={1.75} aria-hidden />
      ) : (
        <IconCopy size={15} stroke={1.75} aria-hidden />
      )}
    </button>
  )
}
