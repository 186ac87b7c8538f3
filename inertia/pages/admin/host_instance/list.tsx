import { lazy, Suspense, useState } from 'react'
import { Head } from '@inertiajs/react'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { HostCard } from '~/components/host_instance/host_card'
import type { HostCard as Card, HostListPage } from '~/components/host_instance/types'
import { LinkButton } from '~/components/link_button'
import { List } from '~/components/list/list'
import { useApiCall } from '~/components/use_api_call'

const AddHostDialog = lazy(() => import('~/components/host_instance/add_host_dialog'))

export default function HostInstanceList(props: HostListPage) {
  const { hosts, instanceStatus, mayManage } = props
  const [adding, setAdding] = useState(false)
  const [wanted, setWanted] = useState(false)

  const open = () => {
    setWanted(true)
    setAdding(true)
  }

  return (
    <>
      <Head title="Host Instance List" />
      <PageHeader
        title="Host Instance List"
        hint="Machines that run server instances. Berth creates new instances on active hosts with free capacity."
        action={
          <ButtonWithDisabledReason reason={mayManage.reason} onClick={open}>
            Add Host Instance
          </ButtonWithDisabledReason>
        }
      />
      <List
        path="/admin/host-instance/list"
        name="host-instance"
        label="Host instances"
        answer={{ ...props, rows: hosts, statuses: instanceStatus }}
        props={['hosts', 'instanceStatus']}
        live={['host_instance', 'server_instance']}
        rowKey={({ id }) => id}
        all="All Host Instances"
        searchLabel="Search by name or address"
        sorts={{ name: 'Name', status: 'Status' }}
        nothing="-- Empty --"
        empty={{ title: '-- Empty --' }}
        card={(host) => (
          <HostCard
            host={host}
            statuses={instanceStatus}
            actions={<CardActions host={host} barred={mayManage.reason} />}
          />
        )}
      />
      <Suspense>
        {wanted && <AddHostDialog opened={adding} onClose={() => setAdding(false)} />}
      </Suspense>
    </>
  )
}

function CardActions({ host, barred }: { host: Card; barred: string | null }) {
  const { busy, run } = useApiCall()
  const { id, name, status, can } = host
  if (status === 'active') {
    return (
      <LinkButton size="xs" href={`/admin/host-instance/${id}`} aria-label={`Manage ${name}`}>
        Manage
      </LinkButton>
    )
  }
  if (status === 'maintenance') {
    return (
      <ButtonWithDisabledReason
        size="xs"
        variant="default"
        loading={busy !== null}
        reason={barred ?? can.maintenanceOff.reason}
        onClick={() => run('/admin/host-instance/maintenance', { id, on: false })}
      >
        End maintenance
      </ButtonWithDisabledReason>
    )
  }
  return (
    <ButtonWithDisabledReason
      size="xs"
      variant="default"
      loading={busy !== null}
      reason={barred ?? can.check.reason}
      onClick={() => run('/admin/host-instance/check', { id })}
    >
      Check now
    </ButtonWithDisabledReason>
  )
}
