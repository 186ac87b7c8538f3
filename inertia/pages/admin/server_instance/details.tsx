import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Dialog } from '@ui/dialog'
import { CopyButton } from '@ui/copy_button'
import { DisabledReason } from '@ui/disabled_reason'
import { KeyFacts } from '@ui/key_facts'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { statusLabel } from '@ui/status_label'
import { AddressTabs } from '~/components/address_tabs'
import { Link } from '~/components/link'
import { DiskWarning } from '~/components/metrics/disk_warning'
import { MetricsPanel } from '~/components/metrics/panel'
import { useLiveProps } from '~/components/live/use_live_props'
import { isOver, useOperation } from '~/components/operation/watch_operation'
import { OperationProgress } from '~/components/operation/progress'
import { AdminDomains } from '~/components/server_instance/admin_domains'
import { DeletedNotice } from '~/components/server_instance/deleted_notice'
import { InstanceHistory } from '~/components/server_instance/history'
import { InstanceInformation } from '~/components/server_instance/information'
import { NotAnswering } from '~/components/server_instance/not_answering'
import { PowerButtons } from '~/components/server_instance/power_buttons'
import { StateDialog } from '~/components/server_instance/state_dialog'
import type { AdminInstancePage } from '~/components/server_instance/types'
import { UpdateForm } from '~/components/server_instance/update_form'

/** A server instance as staff see it. */
export default function ServerInstanceDetails(props: AdminInstancePage) {
  const { instance, deletion, history, instanceStatus, packages, mayManage } = props
  const { id, name, status, ip, can, customer, host } = instance
  const barred = mayManage.reason
  const historyTab = {
    key: 'history',
    label: 'History',
    panel: <InstanceHistory history={history} />,
  }
  const operation = useOperation(instance.operation, 'admin')
  useLiveProps([`server_instance:${id}`], ['instance', 'deletion', 'history', 'packages'])
  const isBusy = operation !== null && !isOver(operation)
  const [updating, setUpdating] = useState(false)
  const [verb, setVerb] = useState<'suspend' | 'resume' | null>(null)

  return (
    <>
      <Head title={name} />
      <PageHeader
        back={<Link href="/admin/server-instance/list">Server Instance List</Link>}
        title={name}
        aside={<StatusBadge status={status} label={instanceStatus[status]} />}
        hint={status === 'active' ? undefined : instance.status_reason}
        action={
          <>
            <DisabledReason
              variant="default"
              reason={barred ?? can.update.reason}
              onClick={() => setUpdating(true)}
            >
              Update
            </DisabledReason>
            {status === 'suspended' ? (
              <DisabledReason
                variant="default"
                reason={barred ?? can.resume.reason}
                onClick={() => setVerb('resume')}
              >
                Resume
              </DisabledReason>
            ) : (
              <DisabledReason
                variant="default"
                reason={barred ?? can.suspend.reason}
                onClick={() => setVerb('suspend')}
              >
                Suspend
              </DisabledReason>
            )}
            <PowerButtons instance={instance} area="admin" barred={barred} inMenu />
          </>
        }
      >
        <KeyFacts
          facts={[
            {
              label: 'IP',
              value:
                ip && !deletion ? (
                  <>
                    <span className="mono">{ip}</span>
                    <CopyButton value={ip} copied="IP Copied!" what="IP" />
                  </>
                ) : (
                  '-'
                ),
            },
            { label: 'Type', value: statusLabel(instance.instance_type) },
            {
              label: 'Host Instance',
              value: host ? <Link href={`/admin/host-instance/${host.id}`}>{host.name}</Link> : '-',
            },
            {
              label: 'Customer',
              value: (
                <>
                  {customer.name} · {customer.email}
                  <CopyButton value={customer.email} copied="Email Copied!" what="email" />
                </>
              ),
            },
          ]}
        />
      </PageHeader>
      <DiskWarning disk={instance.disk} />
      <DeletedNotice deletion={deletion} shape="staff" />
      <NotAnswering instance={instance} busy={isBusy} area="admin" />
      {operation && operation.status !== 'done' && <OperationProgress operation={operation} />}
      <AddressTabs
        label={`Parts of ${name}`}
        tabs={[
          // All that is left of a deleted one.
          ...(deletion ? [historyTab] : []),
          {
            key: 'details',
            label: 'Details',
            panel: <InstanceInformation instance={instance} />,
          },
          {
            key: 'metrics',
            label: 'Metrics',
            panel: (
              <MetricsPanel
                href={`/admin/server-instance/${id}/metrics`}
                cpus={instance.specifications.vcpu.value}
                kind="instance"
              />
            ),
          },
          {
            key: 'domains',
            label: 'Domains',
            count: instance.domains.length,
            panel: <AdminDomains instance={instance} reason={barred ?? can.leadDomains.reason} />,
          },
          ...(deletion ? [] : [historyTab]),
        ]}
      />
      <Dialog
        opened={updating}
        onClose={() => setUpdating(false)}
        title={`Update ${name}`}
        size={560}
      >
        {updating && (
          <UpdateForm instance={instance} packages={packages} onDone={() => setUpdating(false)} />
        )}
      </Dialog>
      <StateDialog instance={instance} verb={verb} onClose={() => setVerb(null)} />
    </>
  )
}
