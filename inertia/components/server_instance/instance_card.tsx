import type { ReactNode } from 'react'
import { CopyableText } from '@ui/copyable_text'
import { StatusBadge } from '@ui/status_badge'
import { StepList } from '@ui/step_list'
import { diskWarningText } from '~/components/metrics/disk_warning'
import { operationSteps } from '~/components/operation/operation_progress'
import type { OperationView } from '~/components/operation/types'
import { SpecificationsList } from './specifications_list'
import type { InstanceCard as Card, StatusLabels } from './types'
import styles from './instance_card.module.css'

interface InstanceCardProps {
  instance: Card
  statuses: StatusLabels
  operation?: OperationView | null
  /** Additional content below the name. */
  details?: ReactNode
  actions?: ReactNode
}

/** Shows the steps of the instance's operation until the operation is done, also after it failed. */
export function InstanceCard({
  instance,
  statuses,
  operation,
  details,
  actions,
}: InstanceCardProps) {
  const { name, status, status_reason: reason, host_notice: notice, ip, specifications } = instance
  const warning = diskWarningText(instance.disk)
  const steps = operation && operation.status !== 'done' ? operationSteps(operation) : null
  return (
    <article className={styles.card} aria-label={name} data-status={status}>
      <header className={styles.header}>
        <div className={styles.words}>
          <h3>{name}</h3>
          {details && <p className={styles.about}>{details}</p>}
        </div>
        <StatusBadge status={status} label={statuses[status]} />
      </header>
      <SpecificationsList specifications={specifications} />
      {warning && <p className={styles.warning}>{warning}</p>}
      {notice && <p className={styles.warning}>{notice}</p>}
      {steps ? (
        <StepList steps={steps} label={operation!.title} />
      ) : (
        reason && <p className={styles.reason}>{reason}</p>
      )}
      <footer className={styles.footer}>
        <span className={styles.address}>
          {ip && status !== 'deleted' ? (
            <CopyableText text={ip} copied="IP Copied!" what="IP" />
          ) : (
            <span className={styles.none}>
              {status === 'deleted' ? 'Address released' : 'No address yet'}
            </span>
          )}
        </span>
        {actions && <span className={styles.actions}>{actions}</span>}
      </footer>
    </article>
  )
}
