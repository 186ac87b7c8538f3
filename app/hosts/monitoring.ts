import type { AlertRule, DetectedProblem } from '#core/monitoring/alerts'
import type { Gauge, GaugeReading } from '#core/monitoring/gauges'
import { type HealthIndicator, severityTone } from '#core/monitoring/health'
import {
  severityOfUsageRatio,
  formatMegabytesOrGigabytes,
  queryGaugeReadings,
} from '#core/monitoring/builtin_alerts_and_gauges'
import type { GetRoutePath } from '#core/page_addresses'
import HostInstance from '#hosts/models/host_instance'
import db from '@adonisjs/lucid/services/db'

/** Excludes hosts in maintenance or preparation, because staff know that these are not in use. */
const hostsInUse = () => HostInstance.query().whereIn('status', ['active', 'offline']).orderBy('id')

const pageOf = ({ id }: HostInstance): GetRoutePath => `/admin/host-instance/${id}`

const hostOfflineAlert: AlertRule = {
  name: 'hosts.away',
  label: 'Host offline',
  runbook: 'lost_host',
  after: 30,
  async findProblems() {
    const hosts = await HostInstance.query().where('status', 'offline').orderBy('id')
    return hosts.map((host) => ({
      key: String(host.id),
      severity: 'critical',
      words: `${host.name} is offline: ${host.statusReason ?? 'unknown reason'}`,
      href: pageOf(host),
    }))
  },
}

const storagePoolAlert: AlertRule = {
  name: 'hosts.pool',
  label: 'Storage pool nearly full',
  runbook: 'full_pool',
  after: 60,
  async findProblems() {
    return (await hostsInUse()).flatMap((host): DetectedProblem[] => {
      const { diskUsed: used, diskTotal: total } = host
      const severity = used === null || !total ? null : severityOfUsageRatio(used / total)
      if (!severity) return []
      const share = Math.floor((used! / total) * 100)
      const message = `The storage of ${host.name} is ${share} % full. ${formatMegabytesOrGigabytes(total - used!)} are free.`
      return [{ key: String(host.id), severity, words: message, href: pageOf(host) }]
    })
  },
}

const clusterAlert: AlertRule = {
  name: 'hosts.cluster',
  label: 'Host in an Incus cluster',
  runbook: 'lost_host',
  after: 60,
  async findProblems() {
    const rows = await db
      .from('compute_findings')
      .join('host_instances', 'host_instances.id', 'host_instance_id')
      .where({ kind: 'cluster', gone_at: null })
      .whereNot('host_instances.status', 'deleted')
      .select('host_instances.id', 'compute_findings.words')
    return rows.map(({ id, words }) => ({
      key: String(id),
      severity: 'warning',
      words,
      href: `/admin/host-instance/${id}`,
    }))
  },
}

const containmentAlert: AlertRule = {
  name: 'hosts.containment',
  label: 'Containment self-test failed',
  runbook: 'containment',
  async findProblems() {
    return (await hostsInUse()).flatMap((host): DetectedProblem[] => {
      const { broken = [], error = null } = host.containment ?? {}
      const href = pageOf(host)
      const troubles = broken.map(({ boundary, evidence }): DetectedProblem => {
        const message = `${boundary}: an instance on ${host.name} broke this boundary in the nightly self-test (${evidence}).`
        return { key: `${host.id} ${boundary}`, severity: 'critical', words: message, href }
      })
      if (error === null) return troubles
      const message = `The containment self-test could not run on ${host.name}: ${error}`
      return [...troubles, { key: `${host.id}`, severity: 'warning', words: message, href }]
    })
  },
}

export const alerts = [hostOfflineAlert, storagePoolAlert, clusterAlert, containmentAlert]

const hostGauge =
  (read: (host: HostInstance) => number | null) => async (): Promise<GaugeReading[]> =>
    (await hostsInUse()).flatMap((host) => {
      const value = read(host)
      return value === null ? [] : [{ value, labels: { host: host.name } }]
    })

export const gauges: Gauge[] = [
  {
    name: 'berth_hosts',
    help: 'Hosts by status',
    read: () =>
      queryGaugeReadings(
        `select status, count(*)::int as value from host_instances
         where status <> 'deleted' group by status`
      ),
  },
  {
    name: 'berth_host_up',
    help: 'Whether a host responds (1) or not (0)',
    read: hostGauge(({ status }) => Number(status === 'active')),
  },
  {
    name: 'berth_host_pool_used_bytes',
    help: 'Used storage of a host',
    read: hostGauge(({ diskUsed }) => diskUsed),
  },
  {
    name: 'berth_host_pool_bytes',
    help: 'Total storage of a host',
    read: hostGauge(({ diskTotal }) => diskTotal),
  },
  {
    name: 'berth_host_memory_used_bytes',
    help: 'Used memory of a host',
    read: hostGauge(({ memoryUsed }) => memoryUsed),
  },
  {
    name: 'berth_host_memory_bytes',
    help: 'Total memory of a host',
    read: hostGauge(({ memoryTotal }) => memoryTotal),
  },
]

export async function health(): Promise<HealthIndicator[]> {
  const hosts = await hostsInUse()
  const href = '/admin/host-instance/list'
  const answering = hosts.filter(({ status }) => status === 'active').length
  const fullest = Math.max(
    0,
    ...hosts.map(({ diskUsed, diskTotal }) => (diskTotal ? (diskUsed ?? 0) / diskTotal : 0))
  )
  return [
    {
      label: 'Hosts',
      value: `${answering} of ${hosts.length} respond`,
      tone: answering < hosts.length ? 'loss' : 'good',
      href,
    },
    ...(hosts.length
      ? [
          {
            label: 'Fullest storage pool',
            value: `${Math.floor(fullest * 100)} %`,
            tone: severityTone(severityOfUsageRatio(fullest)),
            href,
          } satisfies HealthIndicator,
        ]
      : []),
  ]
}
