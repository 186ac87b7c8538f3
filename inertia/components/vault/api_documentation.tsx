import { useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import {
  codeExample,
  exampleLanguages,
  type ExampleLanguage,
  type ExampleOperation,
} from './code_examples'
import styles from './vault.module.css'

interface ApiDocumentationProps {
  vaultHost: string
  accessKeyId: number
}

const operations: Record<
  ExampleOperation,
  { title: string; call: (host: string) => string; fields: string[] }
> = {
  upload: {
    title: 'Upload a file',
    call: (host) => `POST ${host}/upload`,
    fields: [
      'file: the file, as multipart/form-data',
      'folder: the target folder. Default: the root folder',
      'filename: the name in the vault. Default: the file’s name',
      'cache=invalidate: optional, without effect. The vault always serves the new file immediately',
    ],
  },
  remove: {
    title: 'Remove a file',
    call: (host) => `GET ${host}/remove`,
    fields: [
      'filename: the file',
      'folder: the folder of the file. Default: the root folder',
      'cache: optional, without effect. The vault stops serving the file immediately',
    ],
  },
}

export function ApiDocumentation({ vaultHost, accessKeyId }: ApiDocumentationProps) {
  const [language, setLanguage] = useState<ExampleLanguage>('curl')
  return (
    <details className={styles.documentation}>
      <summary>API documentation</summary>
      <div className={styles.documented}>
        <p>
          Each call sends two headers: <code>X-Access-Key-Id: {accessKeyId}</code> and the secret
          key of the vault in <code>X-Secret-Key</code>. The response contains <code>success</code>,{' '}
          <code>message</code> and <code>filepath</code>.
        </p>
        <p>
          Keep the secret key on your server. Anyone who has it can change everything in the vault.
        </p>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={exampleLanguages}
          value={language}
          onChange={(value) => setLanguage(value as ExampleLanguage)}
        />
        {(Object.keys(operations) as ExampleOperation[]).map((work) => {
          const { title, call, fields } = operations[work]
          const text = codeExample(language, work, { vaultHost, accessKeyId })
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
