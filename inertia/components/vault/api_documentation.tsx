import { useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { exampleOf, languages, type Language, type Work } from './examples'
import styles from './vault.module.css'

interface ApiDocumentationProps {
  vaultHost: string
  accessKeyId: number
}

const works: Record<Work, { title: string; call: (host: string) => string; fields: string[] }> = {
  upload: {
    title: 'Upload a file',
    call: (host) => `POST ${host}/upload`,
    fields: [
      'file: the file, in a form (multipart/form-data)',
      'folder: where it goes; the top unless told',
      'filename: what it is called; its own name unless told',
      'cache=invalidate: what the CDN keeps of that name is forgotten first',
    ],
  },
  remove: {
    title: 'Remove a file',
    call: (host) => `GET ${host}/remove`,
    fields: [
      'filename: the file',
      'folder: where it is; the top unless told',
      'cache=invalidate: what the CDN keeps of it is forgotten too',
    ],
  },
}

/** How programs put files into a vault and take them away. */
export function ApiDocumentation({ vaultHost, accessKeyId }: ApiDocumentationProps) {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <details className={styles.documentation}>
      <summary>API documentation</summary>
      <div className={styles.documented}>
        <p>
          Each call sends <code>X-Access-Key-Id: {accessKeyId}</code> and <code>X-Secret-Key</code>{' '}
          with the secret key of the vault, and is answered <code>success</code>,{' '}
          <code>message</code> and <code>filepath</code>. Keep the secret key on your server:
          whoever has it can change everything in the vault.
        </p>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={languages}
          value={language}
          onChange={(value) => setLanguage(value as Language)}
        />
        {(Object.keys(works) as Work[]).map((work) => {
          const { title, call, fields } = works[work]
          const text = exampleOf(language, work, { vaultHost, accessKeyId })
          return (
            <section key={work} aria-label={title}>
              <h3>{title}</h3>
              <code className={styles.call}>{call(vaultHost)}</code>
              <ul>
                {fields.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
              <div className={styles.example}>
                <pre tabIndex={0} aria-label={`${title}: ${language}`}>
                  {text}
                </pre>
                <CopyButton value={text} copied="Copied" what={`${title}: ${language}`} />
              </div>
            </section>
          )
        })}
      </div>
    </details>
  )
}
