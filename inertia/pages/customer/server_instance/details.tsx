import { Head } from '@inertiajs/react'
import { Alert, Button } from '@mantine/core'
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import { CopyButton } from '@ui/copy_button'
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
import { BuildMode } from '~/components/server_instance/build_mode'
import { DomainList } from '~/components/server_instance/domain_list'
import { DeletedNotice } from '~/components/server_instance/deleted_notice'
import { InstanceHistory } from '~/components/server_instance/history'
import { InstanceInformation } from '~/components/server_instance/information'
import { NotAnswering } from '~/components/server_instance/not_answering'
import { PowerButtons } from '~/components/server_instance/power_buttons'
import { specificationTexts } from '~/components/server_instance/specifications'
import { TerminalTab } from '~/components/server_instance/terminal_tab'
import type { InstancePage } from '~/components/server_instance/types'
import { useCall } from '~/components/use_call'

/** One of a customer's server instances. */
export default function ServerInstanceDetails(props: InstancePage) {
  const { instance, instanceStatus, deletion, history } = props
  const { id, name, status, ip, instance_type: type, can } = instance
  const operation = useOperation(instance.operation, 'customer')
  useLiveProps([`server_instance:${id}`], ['instance', 'deletion', 'history'])
  const isBusy = operation !== null && !isOver(operation)
  const shared = type === 'shared'
  const suspended = status === 'suspended'
  const historyTab = {
    key: 'history',
    label: 'History',
    panel: <InstanceHistory history={history} />,
  }

  return (
    <>
      <Head title={name} />
      <PageHeader
        back={<Link href="/server-instance/list">Server Instances</Link>}
        title={name}
        aside={<StatusBadge status={status} label={instanceStatus[status]} />}
        hint={status === 'active' || suspended ? undefined : instance.status_reason}
        action={<PowerButtons instance={instance} />}
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
            ...(instance.ports.ssh
              ? [
                  {
                    label: 'SSH port',
                    value: (
                      <>
                        <span className="mono">{instance.ports.ssh}</span>
                        <CopyButton
                          value={String(instance.ports.ssh)}
                          copied="Copied"
                          what="SSH port"
                        />
                      </>
                    ),
                  },
                ]
              : []),
            { label: 'Type', value: statusLabel(type) },
            {
              label: 'Package',
              value: specificationTexts(instance.specifications)
                .slice(0, 3)
                .map(({ text }) => text)
                .join(' · '),
            },
            { label: 'Default instance', value: <DefaultChoice instance={instance} /> },
          ]}
        />
      </PageHeader>
      <DeletedNotice deletion={deletion} shape="moment" />
      {suspended && (
        <Alert
          color="yellow"
          mb="md"
          icon={<IconAlertTriangle size={18} stroke={1.75} aria-hidden />}
          title={instance.status_reason ?? 'This instance is suspended'}
        >
          {`${name} is stopped. You cannot start it until it is resumed. Its files stay.`}
        </Alert>
      )}
      <DiskWarning disk={instance.disk} />
      <NotAnswering instance={instance} busy={isBusy} />
      {operation && operation.status !== 'done' && <OperationProgress operation={operation} />}
      {instance.boost_mode && <BuildMode instance={instance} />}
      <AddressTabs
        label={`Parts of ${name}`}
        tabs={[
          // All that is left of a deleted one.
          ...(deletion ? [historyTab] : []),
          {
            key: 'metrics',
            label: 'Metrics',
            panel: (
              <MetricsPanel
                href={`/server-instance/${id}/metrics`}
                cpus={instance.specifications.vcpu.value}
                kind="instance"
              />
            ),
          },
          {
            key: 'terminal',
            label: 'Terminal',
            keepAlive: true,
            panel: (
              <TerminalTab
                grantUrl="/terminal/grants"
                grantBody={{ server_instance_id: id }}
                label={name}
                instanceType={type}
                reason={can.terminal.reason}
              />
            ),
          },
          {
            key: 'information',
            label: 'Information',
            panel: <InstanceInformation instance={instance} />,
          },
          ...(shared
            ? [
                {
                  key: 'domains',
                  label: 'Domain List',
                  count: instance.domains.length,
                  panel: <DomainList instance={instance} />,
                },
              ]
            : []),
          ...(deletion ? [] : [historyTab]),
        ]}
      />
    </>
  )
}

function DefaultChoice({ instance }: Pick<InstancePage, 'instance'>) {
  const { busy, run } = useCall()
  const path = `/server-instance/set-as-default/${instance.id}` as const
  if (instance.is_default) return 'Yes'
  if (!instance.can.setDefault.allowed) return 'No'
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      ml={-8}
      loading={busy === path}
      onClick={() => run(path, {})}
    >
      Set as default
    </Button>
  )
}
