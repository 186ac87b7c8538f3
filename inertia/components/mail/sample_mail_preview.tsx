import { useState } from 'react'
import { SegmentedControl, Text } from '@mantine/core'
import { useFetch } from '~/components/use_fetch'
import styles from '~/components/vault/vault.module.css'
import own from './mail.module.css'

const previewModes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'text', label: 'Plain text' },
]

export function SampleMailPreview({ kind }: { kind: string }) {
  const [look, setLook] = useState('light')
  const scheme = look === 'text' ? 'light' : (look as 'light' | 'dark')
  const { data, problem } = useFetch<{ subject: string; text: string; html: string }>(
    `/admin/settings/mail/preview?kind=${kind}&scheme=${scheme}`
  )
  return (
    <div className={own.preview}>
      <SegmentedControl
        aria-label="Preview format"
        size="xs"
        data={previewModes}
        value={look}
        onChange={setLook}
      />
      {problem && <p className={styles.calm}>{problem}</p>}
      {!data ? (
        <div className={styles.bones} aria-busy />
      ) : (
        <>
          <Text fw={550}>{data.subject}</Text>
          {look === 'text' ? (
            <pre tabIndex={0} aria-label="Email as plain text">
              {data.text}
            </pre>
          ) : (
            <iframe sandbox="" srcDoc={data.html} title="Preview of the email" />
          )}
        </>
      )}
    </div>
  )
}
