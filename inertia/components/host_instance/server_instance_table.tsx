import { CopyButton } from '@ui/copy_button'
import { StatusBadge } from '@ui/status_badge'
import { LinkButton } from '~/components/link_button'
import { Table, type Column } from '~/components/list/table'
import type { StatusLabels } from '~/components/server_instance/types'
import type { HostedServerRow } from './types'
import styles from './server_instance_table.module.css'

/** Returns the forwarded ports as text, for example `ssh 20001`. */
export function portsLabel(ports: Record<string, number>) {
  return Object.entries(ports)
    .map(([name, port]) => `${name} ${port}`)
    .join(', ')
}

function columns(statuses: StatusLabels): Column<HostedServerRow>[] {
  return [
    {
      label: 'Name',
      phone: 'title',
      width: '30%',
      cell: ({ name }) => <strong title={name}>{name}</strong>,
    },
    {
      label: 'IP',
      mono: true,
      width: '170px',
      phone: 'second',
      cell: ({ ip }) =>
        ip ? (
          <>
            <span title={ip}>{ip}</span>
            <CopyButton value={ip} copied="IP Copied!" what="IP" />
          </>
        ) : (
          '-'
        ),
    },
    {
      label: 'Status',
      width: '110px',
      phone: 'aside',
      cell: ({ status }) => <StatusBadge status={status} label={statuses[status]} />,
    },
    { label: 'Ports', mono: true, phone: 'hidden', cell: ({ ports }) => portsLabel(ports) || '-' },
    {
      label: 'Actions',
      width: '120px',
      phone: 'action',
      align: 'right',
      cell: ({ id, name }) => (
        <LinkButton
          size="compact-sm"
          variant="subtle"
          href={`/admin/server-instance/${id}`}
          aria-label={`View Details of ${name}`}
        >
          View Details
        </LinkButton>
      ),
    },
  ]
}

interface ServerInstanceTableProps {
  servers: HostedServerRow[]
  statuses: StatusLabels
}

export function ServerInstanceTable({ servers, statuses }: ServerInstanceTableProps) {
  if (!servers.length) return <p className={styles.empty}>-- No Server Instances --</p>
  return (
    <Table
      label="Server Instances"
      columns={columns(statuses)}
      rows={servers}
      rowKey={({ id }) => id}
      rowHref={({ id }) => `/admin/server-instance/${id}`}
    />
  )
}
