import { Head } from '@inertiajs/react'
import { Alert, Button } from '@mantine/core'
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import { CopyableText } from '@ui/copyable_text'
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
import { BuildModePanel } from '~/components/server_instance/build_mode_panel'
import { DomainListEditor } from '~/components/server_instance/domain_list_editor'
import { DeletedNotice } from '~/components/server_instance/deleted_notice'
import { InstanceHistory } from '~/components/server_instance/instance_history'
import { InstanceInformation } from '~/components/server_instance/instance_information'
import { UnresponsiveNotice } from '~/components/server_instance/unresponsive_notice'
import { PowerButtons } from '~/components/server_instance/power_buttons'
import { specificationItems } from '~/components/server_instance/specifications_list'
import { TerminalTab } from '~/components/server_instance/terminal_tab'
import type { InstancePage } from '~/components/server_instance/types'
import { useApiCall } from '~/components/use_api_call'

export default function ServerInstanceDetails(props: InstancePage) {
  const { instance, instanceStatus, deletion, history } = props
  const { id, name, status, ip, instance_type: type, can } = instance
  const operation = useOperation(instance.operation, 'customer')
  useLiveProps([`server_instance:${id}`], ['instance', 'deletion', 'history'])
  const isBusy = operation !== null && !isFinished(operation)
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
        <DetailLine
          items={[
            {
              label: 'IP',
              value:
                ip && !deletion ? <CopyableText text={ip} copied="IP Copied!" what="IP" /> : '-',
            },
            ...(instance.ports.ssh
              ? [
                  {
                    label: 'SSH port',
                    value: <CopyableText text={instance.ports.ssh} what="SSH port" />,
                  },
                ]
              : []),
            { label: 'Type', value: statusLabel(type) },
            {
              label: 'Package',
              value: specificationItems(instance.specifications)
                .slice(0, 3)
                .map(({ text }) => text)
                .join(' · '),
            },
            { label: 'Default instance', value: <DefaultInstanceSetting instance={instance} /> },
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
          {`${name} is stopped. You cannot start it while it is suspended. Its files stay.`}
        </Alert>
      )}
      <DiskWarning disk={instance.disk} />
      <UnresponsiveNotice instance={instance} busy={isBusy} />
      {operation && operation.status !== 'done' && <OperationProgress operation={operation} />}
      {instance.boost_mode && <BuildModePanel instance={instance} />}
      <UrlTabs
        label={`Sections of ${name}`}
        tabs={[
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
                  panel: <DomainListEditor instance={instance} />,
                },
              ]
            : []),
          ...(deletion ? [] : [historyTab]),
        ]}
      />
    </>
  )
}

function DefaultInstanceSetting({ instance }: Pick<InstancePage, 'instance'>) {
  const { busy, run } = useApiCall()
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
