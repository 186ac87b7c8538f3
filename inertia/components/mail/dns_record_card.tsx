import { CopyableText } from '@ui/copyable_text'
import { StatusBadge } from '@ui/status_badge'
import styles from './mail.module.css'
import { dnsRecordPurposeLabels, dnsRecordTones, dnsRecordStateLabels } from './status_tones'
import type { MailDomainPage } from './types'

type DnsRecord = MailDomainPage['records'][number]

export function DnsRecordCard({ record, next }: { record: DnsRecord; next: boolean }) {
  const { purpose, type, name, value, state, found, advice } = record
  const label = next
    ? `${dnsRecordPurposeLabels[purpose]} (next key)`
    : dnsRecordPurposeLabels[purpose]
  return (
    <article className={styles.record} aria-label={label}>
      <header>
        <h3>{label}</h3>
        <StatusBadge
          status={state}
          label={dnsRecordStateLabels[state]}
          tone={dnsRecordTones[state]}
        />
      </header>
      <dl>
        <dt>Type</dt>
        <dd className="mono">{type}</dd>
        <dt>Name</dt>
        <dd>
          <CopyableText text={name} what={`name of ${label}`} />
        </dd>
        <dt>Value</dt>
        <dd>
          <CopyableText text={value} what={`value of ${label}`} />
        </dd>
        {state === 'wrong' && found.length > 0 && (
          <>
            <dt>Current value</dt>
            <dd>
              <span className="mono">{found.join(' | ')}</span>
            </dd>
          </>
        )}
      </dl>
      {advice && <p role="status">{advice}</p>}
    </article>
  )
}
