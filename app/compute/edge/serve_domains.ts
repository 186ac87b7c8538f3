import { edgeSettings } from '#compute/edge/settings'
import Domain from '#compute/models/domain'
import { publish } from '#core/live/live'
import { defineChore } from '#core/schedule'
import { configOf, Edge, EdgeError, lastTlsErrors, type Site } from '#packages/edge/main'
import db from '@adonisjs/lucid/services/db'
import { createHash } from 'node:crypto'

interface Row {
  id: number
  subdomain: string
  status: string
  status_reason: string | null
  server_instance_id: number
  private_ip: string
  inner_port: number
}

/** Names of running instances on this machine: what its edge is to serve. */
async function wanted(): Promise<Row[]> {
  return db
    .from('domains')
    .join('server_instances', 'server_instances.id', 'domains.server_instance_id')
    .join('host_instances', 'host_instances.id', 'server_instances.host_instance_id')
    .where('host_instances.is_local', true)
    .where('server_instances.status', 'active')
    .whereNotNull('server_instances.private_ip')
    .orderBy('domains.id')
    .select(
      'domains.id',
      'domains.subdomain',
      'domains.status',
      'domains.status_reason',
      'domains.server_instance_id',
      'server_instances.private_ip',
      'domains.inner_port'
    )
}

/**
 * Brings the edge of this machine to what the database says and notes down what came of it:
 * `active` once Caddy serves a name, `failed` with its words when it refuses; trouble with a
 * certificate is a reason beside `active`, because the name is served as soon as that passes.
 */
export async function serveDomains(): Promise<void> {
  const settings = edgeSettings()
  if (!settings) return
  const rows = await wanted()
  const sites: Site[] = rows.map(({ subdomain, private_ip, inner_port }) => ({
    domain: subdomain,
    upstream: `${private_ip}:${inner_port}`,
  }))
  const version = createHash('sha256')
    .update(JSON.stringify(configOf(sites, settings)))
    .digest('hex')
  const edge = new Edge(settings.admin)
  try {
    if (!(await edge.serves(version))) await edge.serve(sites, settings, version)
    const errors = await lastTlsErrors(settings.tlsLog)
    for (const row of rows) await note(row, 'active', errors.get(row.subdomain)?.words ?? null)
  } catch (error) {
    if (!(error instanceof EdgeError)) throw error
    const reason = error.kind === 'unreachable' ? null : error.message
    for (const row of rows) {
      if (row.status !== 'active') await note(row, reason ? 'failed' : 'pending', reason)
    }
    // Where no edge runs (taken ports, no local host) the command that starts it has said so.
    if (reason) throw error
  } finally {
    await edge.close()
  }
}

async function note(row: Row, status: string, reason: string | null): Promise<void> {
  if (row.status === status && row.status_reason === reason) return
  await Domain.query().where('id', row.id).update({ status, statusReason: reason })
  await publish(`server_instance:${row.server_instance_id}`)
}

export const serveDomainsChore = defineChore({
  name: 'serve-domains',
  every: 3,
  run: () => serveDomains(),
})
