import { edgePorts } from '#compute/edge/remote'
import { edgeSettings } from '#compute/edge/settings'
import Domain, { type DomainStatus } from '#compute/models/domain'
import { publish } from '#core/live/live'
import { defineChore } from '#core/schedule'
import {
  certificatesOf,
  configOf,
  Edge,
  EdgeError,
  lastTlsErrors,
  type Site,
} from '#packages/edge/main'
import db from '@adonisjs/lucid/services/db'
import { createHash } from 'node:crypto'

interface Row {
  id: number
  subdomain: string
  status: string
  status_reason: string | null
  certificate_until: Date | null
  server_instance_id: number
  private_ip: string
  inner_port: number
  host_ip: string
  host_status: string
  is_local: boolean
}

/** Names of running instances: what the edge of this machine is to serve. */
async function wanted(): Promise<Row[]> {
  return db
    .from('domains')
    .join('server_instances', 'server_instances.id', 'domains.server_instance_id')
    .join('host_instances', 'host_instances.id', 'server_instances.host_instance_id')
    .where('server_instances.status', 'active')
    .whereNotNull('server_instances.private_ip')
    .orderBy('domains.id')
    .select(
      'domains.id',
      'domains.subdomain',
      'domains.status',
      'domains.status_reason',
      'domains.certificate_until',
      'domains.server_instance_id',
      'server_instances.private_ip',
      'domains.inner_port',
      'host_instances.ip as host_ip',
      'host_instances.status as host_status',
      'host_instances.is_local'
    )
}

/**
 * Brings the edge of this machine to what the database says and notes down what came of it:
 * `active` once Caddy serves a name, `failed` with its words when it refuses; until when the
 * certificate is valid; and trouble with one as a reason beside `active`, because the name is served
 * as soon as that passes.
 */
export async function serveDomains(): Promise<void> {
  const settings = edgeSettings()
  if (!settings) return
  const all = await wanted()
  const portOf = await edgePorts(all.filter(({ is_local: isLocal }) => !isLocal))
  const rows = all.filter((row) => row.is_local || portOf(row))
  const sites: Site[] = rows.map((row) => ({
    domain: row.subdomain,
    upstream: row.is_local
      ? `${row.private_ip}:${row.inner_port}`
      : `${row.host_ip}:${portOf(row)}`,
  }))
  const version = createHash('sha256')
    .update(JSON.stringify(configOf(sites, settings)))
    .digest('hex')
  const edge = new Edge(settings.admin)
  try {
    if (!(await edge.serves(version))) await edge.serve(sites, settings, version)
    const errors = await lastTlsErrors(settings.tlsLog)
    const names = rows.map(({ subdomain }) => subdomain)
    const certificates = await certificatesOf(names, settings)
    for (const row of rows) {
      const certificate = certificates.get(row.subdomain)
      const error = errors.get(row.subdomain)
      const isOver = error && certificate && certificate.writtenAt > error.at
      await note(row, {
        status: 'active',
        reason: isOver ? null : (error?.words ?? null),
        until: certificate?.until ?? null,
      })
    }
  } catch (error) {
    if (!(error instanceof EdgeError)) throw error
    const reason = error.kind === 'unreachable' ? null : error.message
    for (const row of rows) {
      if (row.status === 'active') continue
      await note(row, { status: reason ? 'failed' : 'pending', reason, until: null })
    }
    // Where no edge runs (taken ports, no local host) the command that starts it has said so.
    if (reason) throw error
  } finally {
    await edge.close()
  }
}

interface Found {
  status: DomainStatus
  reason: string | null
  /** The end of the certificate. */
  until: Date | null
}

async function note(row: Row, { status, reason, until }: Found): Promise<void> {
  const same = row.certificate_until?.getTime() === until?.getTime()
  if (row.status === status && row.status_reason === reason && same) return
  await Domain.query()
    .where('id', row.id)
    .update({ status, statusReason: reason, certificateUntil: until })
  await publish(`server_instance:${row.server_instance_id}`)
}

export const serveDomainsChore = defineChore({
  name: 'serve-domains',
  every: 3,
  run: () => serveDomains(),
})
