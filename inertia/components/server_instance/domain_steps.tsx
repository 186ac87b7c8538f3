import { CopyableText } from '@ui/copyable_text'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { prefixForArea } from '~/area_prefix'
import { useApiCall } from '~/components/use_api_call'
import type { DnsRecord, DomainView } from './types'
import styles from './domain_steps.module.css'

const steps = [
  ['dns', 'DNS'],
  ['certificate', 'Certificate'],
  ['answer', 'Response'],
] as const

interface DomainStepsProps {
  instanceId: number
  domain: DomainView
  area: 'customer' | 'admin'
  /** Reason why this person cannot start a check. */
  reason?: string | null
}

export function DomainSteps({ instanceId, domain, area, reason = null }: DomainStepsProps) {
  const { subdomain, status, status_reason: message, step, seen, details, proven } = domain
  const { busy, run } = useApiCall()
  if (status === 'active' && !message) return null
  const at = steps.findIndex(([key]) => key === step)
  const setsRecord = status !== 'active' && (step === 'dns' || step === null)
  const path = `${prefixForArea(area)}/server-instance/domain/check` as const

  return (
    <div className={styles.way}>
      {status !== 'active' && (
        <ol className={styles.steps} aria-label={`Status of ${subdomain}`}>
          {steps.map(([key, label], index) => {
            const state = index < at ? 'done' : index === at ? status : 'waiting'
            return (
              <li key={key} data-state={state} aria-current={index === at ? 'step' : undefined}>
                <span className={styles.mark} aria-hidden />
                {label}
                <span className="visually-hidden">, {state}</span>
              </li>
            )
          })}
        </ol>
      )}
      <p className={styles.words} aria-live="polite">
        {message ?? 'Not checked yet.'}
      </p>
      {setsRecord && (
        <dl className={styles.records} aria-label={`DNS records of ${subdomain}`}>
          {domain.address_record && (
            <DnsRecordRow record={domain.address_record} what="Points the domain here" />
          )}
          {seen && (
            <div>
              <dt>Current value</dt>
              <dd className="mono">{seen}</dd>
            </div>
          )}
          {!proven && (
            <DnsRecordRow
              record={domain.proof_record}
              what="Proves that the domain is yours. You need this record only before the domain points here, or if another account also added the domain."
            />
          )}
        </dl>
      )}
      <div className={styles.foot}>
        <ButtonWithDisabledReason
          variant="default"
          size="compact-sm"
          loading={busy !== null}
          reason={reason}
          aria-label={`Check again: ${subdomain}`}
          onClick={() => void run(path, { id: instanceId, subdomain })}
        >
          Check again
        </ButtonWithDisabledReason>
        {domain.checked_at && (
          <span>
            Checked <DateText value={domain.checked_at} shape="clock" />
            {status !== 'active' && (
              <>
                · Next check <DateText value={domain.check_at} shape="clock" />
              </>
            )}
          </span>
        )}
      </div>
      {details && (
        <details className={styles.details}>
          <summary>Details</summary>
          <pre>{details}</pre>
        </details>
      )}
    </div>
  )
}

function DnsRecordRow({ record, what }: { record: DnsRecord; what: string }) {
  const { type, name, value } = record
  return (
    <div>
      <dt>{what}</dt>
      <dd>
        <span className={styles.type}>{type}</span>
        <span className={styles.pair}>
          <CopyableText text={name} what={`name of the ${type} record`} />
        </span>
        <span className={styles.pair}>
          <CopyableText text={value} what={`value of the ${type} record`} />
        </span>
      </dd>
    </div>
  )
}
