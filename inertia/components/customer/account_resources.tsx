import { Text } from '@mantine/core'
import { StatusBadge } from '@ui/status_badge'
import { UntypedLink } from '~/components/link'
import { Table, type Column } from '~/components/list/table'
import type { CustomerPage } from './types'
import styles from './account_resources.module.css'

type Resource = CustomerPage['things'][number]['things'][number]

const columns: Column<Resource>[] = [
  {
    label: 'Name',
    phone: 'title',
    cell: ({ name, href }) => (
      <UntypedLink href={href} title={name}>
        {name}
      </UntypedLink>
    ),
  },
  {
    label: 'Status',
    phone: 'aside',
    width: '150px',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
]

export function AccountResources({ things }: Pick<CustomerPage, 'things'>) {
  return (
    <div className={styles.kinds}>
      {things.map(({ label, things: rows }) => (
        <section key={label} aria-label={label}>
          <h2>
            {label} <span>{rows.length}</span>
          </h2>
          {rows.length ? (
            <Table
              label={label}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              rowHref={({ href }) => href}
            />
          ) : (
            <Text c="dimmed">None.</Text>
          )}
        </section>
      ))}
    </div>
  )
}
