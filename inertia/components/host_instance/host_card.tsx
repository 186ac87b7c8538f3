import type { ReactNode } from 'react'
import { CopyableText } from '@ui/copyable_text'
import { StatusBadge } from '@ui/status_badge'
import cardStyles from '~/components/server_instance/instance_card.module.css'
import { SpecificationsList } from '~/components/server_instance/specifications_list'
import type { StatusLabels } from '~/components/server_instance/types'
import { Capacity } from './capacity'
import { SoldOutPackages } from './sold_out_packages'
import type { HostCard as Card } from './types'

interface HostCardProps {
  host: Card
  statuses: StatusLabels
  actions?: ReactNode
}

export function HostCard({ host, statuses, actions }: HostCardProps) {
  const { name, status, status_reason: reason, ip, provider, capacity, is_local: local } = host
  const details = [
    provider,
    local ? 'runs Berth' : null,
    `${capacity.instances} server ${capacity.instances === 1 ? 'instance' : 'instances'}`,
  ]
  return (
    <article className={cardStyles.card} aria-label={name} data-status={status}>
      <header className={cardStyles.header}>
        <div className={cardStyles.words}>
          <h3>{name}</h3>
          <p className={cardStyles.about}>{details.filter(Boolean).join(' · ')}</p>
        </div>
        <StatusBadge status={status} label={statuses[status]} />
      </header>
      <SpecificationsList specifications={host.specifications} />
      {reason && <p className={cardStyles.reason}>{reason}</p>}
      <Capacity capacity={capacity} short />
      {status === 'active' && <SoldOutPackages soldOut={host.sold_out} short />}
      <footer className={cardStyles.footer}>
        <span className={cardStyles.address}>
          <CopyableText text={ip} copied="IP Copied!" what="IP" />
        </span>
        {actions && <span className={cardStyles.actions}>{actions}</span>}
      </footer>
    </article>
  )
}
