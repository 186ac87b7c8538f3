import { Head } from '@inertiajs/react'
import { PageHeader } from '@ui/page_header'
import { CustomerCell } from '~/components/customer_cell'
import { LinkButton } from '~/components/link_button'
import { List } from '~/components/list/list'
import { useOperations } from '~/components/operation/use_operations'
import { InstanceCard } from '~/components/server_instance/instance_card'
import type { AdminInstanceListPage } from '~/components/server_instance/types'

export default function ServerInstanceList(props: AdminInstanceListPage) {
  const { instances, instanceStatus } = props
  const work = useOperations(
    instances.flatMap(({ operation }) => operation ?? []),
    'admin'
  )

  return (
    <>
      <Head title="Server Instance List" />
      <PageHeader
        title="Server Instance List"
        hint="The server instances of all customers, newest first."
        action={
          <LinkButton variant="default" href="/admin/server-package/list">
            Server Packages
          </LinkButton>
        }
      />
      <List
        path="/admin/server-instance/list"
        name="server-instance"
        label="Server instances"
        answer={{ ...props, rows: instances, statuses: instanceStatus }}
        props={['instances', 'instanceStatus']}
        live={['server_instance']}
        rowKey={({ id }) => id}
        all="All Servers"
        searchLabel="Search by name, address, host or customer"
        sorts={{ name: 'Name', customer: 'Customer', host: 'Host', status: 'Status', ip: 'IP' }}
        nothing="-- Empty --"
        empty={{
          title: 'No server instances yet',
          hint: 'Server instances appear here as soon as a customer orders one.',
        }}
        card={(row) => (
          <InstanceCard
            instance={row}
            statuses={instanceStatus}
            operation={row.operation && (work.get(row.operation.id) ?? row.operation)}
            details={
              <>
                <CustomerCell customer={row.customer} />
                {[null, row.host?.name, row.instance_type]
                  .filter((part) => part !== undefined)
                  .join(' · ')}
              </>
            }
            actions={
              <LinkButton
                size="xs"
                variant="default"
                href={`/admin/server-instance/${row.id}`}
                aria-label={`View Details of ${row.name}`}
              >
                View Details
              </LinkButton>
            }
          />
        )}
      />
    </>
  )
}
