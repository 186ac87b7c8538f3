import { useEffect } from 'react'
import { router } from '@inertiajs/react'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { FactTable } from '~/components/fact_table'
import type { ProjectView } from './types'
import styles from './project.module.css'

interface DomainCardProps {
  domain: NonNullable<ProjectView['domain']>
  /** the address that the domain is to lead to */
  target: string | null
}

const AGAIN_MS = 3000

/** What the owner of a domain has to set in DNS, and how far it and its certificate are. */
export function DomainCard({ domain, target }: DomainCardProps) {
  const { subdomain, status, status_reason: reason, certificate_until: until } = domain
  useReload(status !== 'active' || !until)
  return (
    <section className={styles.domain} aria-label="Domain">
      <header>
        <h2>
          <a href={`https://${subdomain}`} target="_blank" rel="noreferrer">
            {subdomain}
          </a>
        </h2>
        <StatusBadge status={status} />
      </header>
      <p>
        Set this record where the domain is managed. The certificate is made by itself once it leads
        here.
      </p>
      <FactTable
        label="Domain"
        rows={[
          {
            label: 'DNS record',
            value: target && (
              <>
                <span className="mono">
                  {target.includes(':') ? 'AAAA' : 'A'} {target}
                </span>
                <CopyButton value={target} copied="IP Copied!" what="IP of the DNS record" />
              </>
            ),
          },
          {
            label: 'Certificate',
            value: until ? (
              <span>
                Valid until <DateText value={until} shape="moment" />
              </span>
            ) : (
              'Not there yet'
            ),
          },
          {
            label: 'Last error',
            value: reason ? <span className={styles.reason}>{reason}</span> : 'None',
          },
        ]}
      />
    </section>
  )
}

/** Looks at the project again every 3 s while something of it is on its way. */
function useReload(waiting: boolean) {
  useEffect(() => {
    if (!waiting) return
    const timer = window.setInterval(() => {
      if (!document.hidden) router.reload({ only: ['project'] })
    }, AGAIN_MS)
    return () => window.clearInterval(timer)
  }, [waiting])
}
