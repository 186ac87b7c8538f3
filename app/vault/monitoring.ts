import type { Gauge } from '#core/monitoring/gauges'
import type { HealthIndicator } from '#core/monitoring/health'
import { queryGaugeReadings } from '#core/monitoring/builtin_alerts_and_gauges'
import env from '#start/env'

export const gauges: Gauge[] = [
  {
    name: 'berth_vaults',
    help: 'Vaults, by status',
    read: () =>
      queryGaugeReadings(
        `select status, count(*)::int as value from vaults where deleted_at is null group by status`
      ),
  },
  {
    name: 'berth_vault_bytes',
    help: 'Stored bytes of all vaults',
    read: () =>
      queryGaugeReadings(
        `select coalesce(sum(bytes), 0)::float8 as value from vaults where deleted_at is null`
      ),
  },
]

const HEALTH_TIMEOUT_MS = 2_000

/** Empty if the vault service works or is not configured. */
export async function health(): Promise<HealthIndicator[]> {
  const url = env.get('VAULT_CONTROL_URL')
  if (!url) return []
  const status = await fetch(new URL('/health', url), {
    signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
  })
    .then(async (answer) => ((await answer.json()) as { status: string }).status)
    .catch(() => 'The vault service does not respond')
  return status === 'ok' ? [] : [{ label: 'Vaults', value: status, tone: 'loss' }]
}
