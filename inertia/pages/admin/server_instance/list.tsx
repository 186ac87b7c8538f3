import { Head, router } from '@inertiajs/react'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'
import { LinkButton } from '~/components/link_button'
import { CardList } from '~/components/list/card_list'
import { useOperations } from '~/components/operation/follow'
import { InstanceCard } from '~/components/server_instance/instance_card'
import type { AdminInstanceListPage } from '~/components/server_instance/types'

/** Everybody's server instances. */
export default function ServerInstanceList({ instances, instanceStatus }: AdminInstanceListPage) {
  const work = useOperations(
    instances.flatMap(({ operation }) => operation ?? []),
    'admin',
    () => router.reload()
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
      {instances.length ? (
        <CardList
          storageKey="admin-server-instance-pagination"
          rows={instances}
          statuses={instanceStatus}
          statusOf={({ status }) => status}
          nameOf={({ name }) => name}
          rowKey={({ id }) => id}
          all="All Servers"
          empty="-- Empty --"
          card={(row) => (
            <InstanceCard
              instance={row}
              statuses={instanceStatus}
              operation={row.operation && (work.get(row.operation.id) ?? row.operation)}
              about={[row.customer.name, row.host?.name, row.instance_type]
                .filter(Boolean)
                .join(' · ')}
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
      ) : (
        <EmptyState
          title="No server instances yet"
          hint="They appear here as soon as a customer orders one."
        />
      )}
    </>
  )
}
