import type { ReactNode } from 'react'
import { Alert } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { DescriptionList } from '~/components/description_list'
import { DomainSteps } from '~/components/server_instance/domain_steps'
import type { ProjectView } from './types'
import styles from './project.module.css'

interface DomainCardProps {
  domain: NonNullable<ProjectView['domain']>
  label: string
  instanceId: number
  area: 'customer' | 'admin'
  barred: string | null
  /** Content below the domain that says whether the domain serves the site or redirects. */
  children?: ReactNode
}

export function DomainCard(props: DomainCardProps) {
  const { domain, label, instanceId, area, barred, children } = props
  const { subdomain, status, address_record: record, certificate_until: until } = domain
  const { proxy_loop_at: loopAt } = domain
  const active = status === 'active'
  return (
    <section className={styles.domain} aria-label={label}>
      <header>
        <h2>
          <a href={`${active ? 'https' : 'http'}://${subdomain}`} target="_blank" rel="noreferrer">
            {subdomain}
          </a>
        </h2>
        <StatusBadge status={status} />
      </header>
      {children}
      {!active && (
        <p>
          Add this record at your DNS provider. Once the domain points here, the site works without
          HTTPS until its certificate is issued, which happens automatically.
        </p>
      )}
      <DescriptionList
        label={label}
        rows={[
          {
            label: 'DNS record',
            value: record && (
              <>
                <span className="mono">
                  {record.type} {record.value}
                </span>
                <CopyButton value={record.value} copied="IP Copied!" what="IP of the DNS record" />
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
              'Not issued yet'
            ),
          },
        ]}
      />
      {loopAt && (
        <Alert color="yellow" mt="md" title="A proxy connects by HTTP">
          A proxy in front of {subdomain} ends HTTPS and connects to this server by HTTP. Visitors
          get error 508, because a redirect to HTTPS would never end. Set the proxy to connect by
          HTTPS (Cloudflare: SSL/TLS mode Full (strict)), or turn off “Redirect HTTP to HTTPS” in
          the virtual host. Last seen: <DateText value={loopAt} shape="moment" />. This notice
          disappears one day after the last such request. If there is no proxy, ignore it: somebody
          sent a request with forged headers.
        </Alert>
      )}
      <DomainSteps instanceId={instanceId} domain={domain} area={area} reason={barred} />
    </section>
  )
}
