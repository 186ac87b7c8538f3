import type { DashboardSectionRow } from '#core/contracts/menu_and_dashboard'
import { ServerInstance } from '#instances/public'
import db from '@adonisjs/lucid/services/db'

/** Latest usage, at most 5 minutes old, in percent. `cpu` of a database row is a number of CPUs. */
interface Load {
  subject_id: number
  cpu: number | null
  memory: number | null
}

export async function listNewestInstances(
  accountId: number,
  limit: number
): Promise<DashboardSectionRow[]> {
  const rows = await ServerInstance.live().where({ accountId }).orderBy('id', 'desc').limit(limit)
  const loads = await loadCurrentUse(rows)
  return rows.map(({ id, name, status }) => ({
    name,
    href: `/server-instance/${id}`,
    status,
    note: status === 'active' ? loadLabel(loads.get(id)) : null,
  }))
}

async function loadCurrentUse(instances: ServerInstance[]): Promise<Map<number, Load>> {
  const { rows } = await db.rawQuery<{ rows: Load[] }>(
    `select distinct on (subject_id) subject_id, cpu,
            100 * memory_used / nullif(memory_total, 0) as memory
       from metric_samples
      where subject = 'instance' and subject_id = any(?) and step = 60
        and at > now() - interval '5 minutes'
      order by subject_id, at desc`,
    [instances.map(({ id }) => id)]
  )
  const cpus = new Map(instances.map(({ id, vcpu }) => [id, vcpu]))
  return new Map(
    rows.map((row) => {
      const id = row.subject_id
      const cpu = row.cpu === null ? null : (100 * row.cpu) / (cpus.get(id) || 1)
      return [id, { ...row, cpu }]
    })
  )
}

function loadLabel(load: Load | undefined): string | null {
  if (!load) return null
  const parts = [
    load.cpu !== null && `CPU ${Math.round(load.cpu)} %`,
    load.memory !== null && `memory ${Math.round(load.memory)} %`,
  ]
  return parts.filter(Boolean).join(', ') || null
}
