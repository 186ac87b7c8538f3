import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Dialog } from '@ui/dialog'
import { CopyButton } from '@ui/copy_button'
import { CopyableText } from '@ui/copyable_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { statusLabel } from '@ui/status_label'
import { UrlTabs } from '~/components/url_tabs'
import { Link } from '~/components/link'
import { DiskWarning } from '~/components/metrics/disk_warning'
import { MetricsPanel } from '~/components/metrics/metrics_panel'
import { useLiveProps } from '~/components/live/use_live_props'
import { isFinished, useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import { AdminDomains } from '~/components/server_instance/admin_domains'
import { DeletedNotice } from '~/components/server_instance/deleted_notice'
import { InstanceHistory } from '~/components/server_instance/instance_history'
import { InstanceInformation } from '~/components/server_instance/instance_information'
import { UnresponsiveNotice } from '~/components/server_instance/unresponsive_notice'
import { PowerButtons } from '~/components/server_instance/power_buttons'
import { SuspendResumeDialog } from '~/components/server_instance/suspend_resume_dialog'
import type { AdminInstancePage } from '~/components/server_instance/types'
import { UpdateForm } from '~/components/server_instance/update_form'

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
  const isBusy = operation !== null && !isFinished(operation)
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
            <ButtonWithDisabledReason
              variant="default"
              reason={barred ?? can.update.reason}
              onClick={() => setUpdating(true)}
            >
              Update
            </ButtonWithDisabledReason>
            {status === 'suspended' ? (
              <ButtonWithDisabledReason
                variant="default"
                reason={barred ?? can.resume.reason}
                onClick={() => setVerb('resume')}
              >
                Resume
              </ButtonWithDisabledReason>
            ) : (
              <ButtonWithDisabledReason
                variant="default"
                reason={barred ?? can.suspend.reason}
                onClick={() => setVerb('suspend')}
              >
                Suspend
              </ButtonWithDisabledReason>
            )}
            <PowerButtons instance={instance} area="admin" barred={barred} inMenu />
          </>
        }
      >
        <DetailLine
          items={[
            {
              label: 'IP',
              value:
                ip && !deletion ? <CopyableText text={ip} copied="IP Copied!" what="IP" /> : '-',
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
      <UnresponsiveNotice instance={instance} busy={isBusy} area="admin" />
      {operation && operation.status !== 'done' && <OperationProgress operation={operation} />}
      <UrlTabs
        label={`Sections of ${name}`}
        tabs={[
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
      <SuspendResumeDialog instance={instance} verb={verb} onClose={() => setVerb(null)} />
    </>
  )
}
