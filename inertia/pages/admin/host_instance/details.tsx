import { Head } from '@inertiajs/react'
import { CopyableText } from '@ui/copyable_text'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { UrlTabs } from '~/components/url_tabs'
import { ContainmentResult } from '~/components/host_instance/containment_result'
import { HostFindings } from '~/components/host_instance/host_findings'
import { HostActions } from '~/components/host_instance/host_actions'
import { HostInformation } from '~/components/host_instance/host_information'
import { ServerInstanceTable } from '~/components/host_instance/server_instance_table'
import type { HostPage } from '~/components/host_instance/types'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { MetricsPanel } from '~/components/metrics/metrics_panel'
import { specificationItems } from '~/components/server_instance/specifications_list'
import { TerminalTab } from '~/components/server_instance/terminal_tab'

export default function HostInstanceDetails(props: HostPage) {
  const { host, instanceStatus, serverStatus, mayManage, findings } = props
  const { id, name, status, ip, can, servers } = host
  const barred = mayManage.reason
  useLiveProps([`host_instance:${id}`, 'server_instance'], ['host', 'findings'])

  return (
    <>
      <Head title={name} />
      <PageHeader
        back={<Link href="/admin/host-instance/list">Host Instance List</Link>}
        title={name}
        aside={<StatusBadge status={status} label={instanceStatus[status]} />}
        hint={host.status_reason}
        action={<HostActions host={host} barred={barred} />}
      >
        <DetailLine
          items={[
            { label: 'IP', value: <CopyableText text={ip} copied="IP Copied!" what="IP" /> },
            ...(host.provider ? [{ label: 'Provider', value: host.provider }] : []),
            {
              label: 'Specifications',
              value:
                specificationItems(host.specifications)
                  .map(({ text }) => text)
                  .join(' · ') || '-',
            },
            { label: 'Server Instances', value: servers.length },
            {
              label: 'Containment self-test',
              value: <ContainmentResult result={host.containment} />,
            },
          ]}
        />
      </PageHeader>
      <HostFindings findings={findings} />
      <UrlTabs
        label={`Sections of ${name}`}
        tabs={[
          {
            key: 'metrics',
            label: 'Metrics',
            panel: (
              <MetricsPanel
                href={`/admin/host-instance/${id}/metrics`}
                cpus={host.capacity.cpu.total || host.specifications.vcpu?.value}
                kind="host"
              />
            ),
          },
          {
            key: 'terminal',
            label: 'Terminal',
            keepAlive: true,
            panel: (
              <TerminalTab
                grantUrl="/admin/terminal/grants"
                grantBody={{ host_instance_id: id }}
                label={name}
                instanceType="host"
                reason={barred ?? can.terminal.reason}
              />
            ),
          },
          {
            key: 'information',
            label: 'Information',
            panel: <HostInformation host={host} barred={barred} />,
          },
          {
            key: 'servers',
            label: 'Server Instances',
            count: servers.length,
            panel: <ServerInstanceTable servers={servers} statuses={serverStatus} />,
          },
        ]}
      />
    </>
  )
}
