import { useState } from 'react'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { StatusBadge } from '@ui/status_badge'
import { Link } from '~/components/link'
import { useApiCall } from '~/components/use_api_call'
import { SilenceDialog } from './silence_dialog'
import styles from './system.module.css'
import { severityTone } from './status_tones'
import type { OpenAlert } from './types'

export function OpenAlertList({ needs }: { needs: OpenAlert[] }) {
  const [silencing, setSilencing] = useState<OpenAlert | null>(null)
  const { busy, run } = useApiCall()
  return (
    <section aria-label="Needs your attention">
      <h2>Needs your attention</h2>
      {needs.length === 0 ? (
        <p className={styles.none}>All clear</p>
      ) : (
        <ul className={styles.needs}>
          {needs.map((need) => {
            const { id, label, severity, status, words, href, runbook, silence } = need
            return (
              <li key={id} data-severity={severity} data-silenced={silence ? true : undefined}>
                <div className={styles.need}>
                  <p className={styles.what}>
                    <strong>{label}</strong>
                    <StatusBadge
                      status={severity}
                      label={status === 'pending' ? 'Notification pending' : severity}
                      tone={status === 'pending' || silence ? 'calm' : severityTone(severity)}
                    />
                  </p>
                  <p>{words}</p>
                  <p className={styles.more}>
                    Since <DateText value={need.began_at} shape="moment" /> · What to do:{' '}
                    <code>{runbook}</code>
                    {href && (
                      <>
                        {' '}
                        · <Link href={href}>View</Link>
                      </>
                    )}
                  </p>
                  {silence && (
                    <p className={styles.more}>
                      Silenced by {silence.by} until{' '}
                      <DateText value={silence.until} shape="moment" />: {silence.reason}
                    </p>
                  )}
                </div>
                {silence ? (
                  <ButtonWithDisabledReason
                    size="compact-sm"
                    variant="default"
                    loading={busy === `/admin/alerts/${id}/unsilence`}
                    aria-label={`End silence of ${label}`}
                    onClick={() => void run(`/admin/alerts/${id}/unsilence`, {})}
                  >
                    End silence
                  </ButtonWithDisabledReason>
                ) : (
                  <ButtonWithDisabledReason
                    size="compact-sm"
                    variant="default"
                    aria-label={`Silence ${label}`}
                    onClick={() => setSilencing(need)}
                  >
                    Silence…
                  </ButtonWithDisabledReason>
                )}
              </li>
            )
          })}
        </ul>
      )}
      <SilenceDialog need={silencing} onClose={() => setSilencing(null)} />
    </section>
  )
}
