import { useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import styles from './mail.module.css'

interface MailContentFrameProps {
  html: string | null
  text: string | null
  /** Accessible name of the frame. */
  label: string
}

/**
 * Shows untrusted markup in a sandboxed frame without origin, scripts, forms or pop-ups. The page's content security
 * policy also applies in the frame, so pictures and link targets on foreign hosts do not load.
 */
export function MailContentFrame({ html, text, label }: MailContentFrameProps) {
  const [shape, setShape] = useState<'html' | 'text'>(html ? 'html' : 'text')
  if (html === null && text === null) return <p>The content of this message is no longer stored.</p>
  return (
    <div className={styles.preview}>
      {html !== null && text !== null && (
        <SegmentedControl
          aria-label="Format"
          size="xs"
          data={[
            { value: 'html', label: 'HTML' },
            { value: 'text', label: 'Text' },
          ]}
          value={shape}
          onChange={(value) => setShape(value as 'html' | 'text')}
        />
      )}
      {shape === 'html' && html !== null ? (
        <iframe sandbox="" srcDoc={html} title={label} />
      ) : (
        <pre tabIndex={0} aria-label={label}>
          {text}
        </pre>
      )}
    </div>
  )
}
