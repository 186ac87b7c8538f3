import { audit } from '#core/audit/audit'
import { localMachineId } from '#core/local_host'
import HostInstance, {
  SILENT_AFTER_SECONDS,
  SILENT_HOSTS_SQL,
  SILENT_REASON,
} from '#hosts/models/host_instance'
import db from '@adonisjs/lucid/services/db'

/**
 * Marks hosts of other consoles as offline if these consoles have stopped reporting. Otherwise the hosts would stay
 * active, although nothing manages their instances. `checkHost` marks the hosts of this console.
 */
export async function markSilentHosts(): Promise<void> {
  const now = Date.now()
  if (now - lastRun > MAX_RUN_GAP_MS) steadySince = now
  const silent = await HostInstance.query()
    .where('status', 'active')
    .whereNot('machineId', localMachineId())
    .whereRaw(SILENT_HOSTS_SQL, [SILENT_AFTER_SECONDS])
  lastRun = now
  if (now - steadySince < SETTLE_MS) return
  for (const host of silent) await markOffline(host)
}

/** If more time has passed since the last run, this console or PostgreSQL was down. */
const MAX_RUN_GAP_MS = 40_000
/** Time that other consoles get to report after such a gap (`hosts.check` runs every 30 s). */
const SETTLE_MS = 45_000
let lastRun = 0
let steadySince = 0

/** Marks the host as offline, unless its console has just reported about it again. */
async function markOffline(host: HostInstance): Promise<void> {
  const changed = await db
    .from('host_instances')
    .where({ id: host.id, status: 'active' })
    .whereRaw(SILENT_HOSTS_SQL, [SILENT_AFTER_SECONDS])
    .update({ status: 'offline', status_reason: SILENT_REASON })
  if (Number(changed) === 0) return
  await audit({
    actor: null,
    action: 'host.offline',
    subject: { type: 'host_instance', id: host.id, label: host.name },
    before: { status: 'active' },
    after: { status: 'offline', reason: SILENT_REASON },
  })
}
