import { startVaultService } from '#packages/vault-service/main'
import { migrationNames } from '#database/migration_names'
import type { RunningService } from '#packages/service/graceful_handover'
import { measureService } from '#start/measured_service'
import env, { secretOf } from '#start/service_env'
import { availableParallelism } from 'node:os'

/** Uploads, public downloads, the S3 API and the control API share one port. */
export async function start(): Promise<RunningService> {
  const starting = startVaultService({
    host: env.get('HOST'),
    port: env.get('VAULT_PORT')!,
    databaseUrl: secretOf('VAULT_DATABASE_URL'),
    key: secretOf('VAULT_KEY'),
    controlKey: secretOf('VAULT_CONTROL_KEY'),
    folder: env.get('VAULT_FOLDER')!,
    migrations: await migrationNames(),
    reserve: env.get('VAULT_RESERVE'),
    bucket: bucket(),
    trustedProxies: env.get('TRUSTED_PROXIES'),
    newVaults: env.get('VAULT_STORE'),
    threads: env.get('VAULT_THREADS') ?? Math.min(availableParallelism(), 4),
    log,
    onFatal(why) {
      log({ level: 60, msg: `ending: ${why}` })
      process.exit(1)
    },
  })
  // Serves metrics from the beginning, even while the service still waits for the previous process to stop.
  let isReady = async () => false
  const stopReports = await measureService('vault', () => isReady())
  const { healthy, stop, leave } = await starting
  isReady = healthy
  const then = (end: () => Promise<void>) => async () => {
    await stopReports()
    await end()
  }
  return { stop: then(stop), leave: then(leave) }
}

/**
 * Returns undefined if no bucket of another S3 server is configured.
 * @throws if its settings are incomplete
 */
function bucket() {
  const url = env.get('VAULT_BUCKET_URL')
  if (!url) {
    if (env.get('VAULT_STORE') === 'bucket')
      throw new Error('VAULT_STORE=bucket needs VAULT_BUCKET_URL')
    return undefined
  }
  const [name, accessKeyId] = [env.get('VAULT_BUCKET_NAME'), env.get('VAULT_BUCKET_KEY')]
  const secretAccessKey = env.get('VAULT_BUCKET_SECRET')?.release()
  if (!name || !accessKeyId || !secretAccessKey) {
    throw new Error(
      'VAULT_BUCKET_URL needs VAULT_BUCKET_NAME, VAULT_BUCKET_KEY and VAULT_BUCKET_SECRET'
    )
  }
  const region = env.get('VAULT_BUCKET_REGION') ?? 'us-east-1'
  return { url, bucket: name, region, accessKeyId, secretAccessKey }
}

function log(entry: object): void {
  process.stdout.write(`${JSON.stringify({ ...entry, time: Date.now(), name: 'berth-vault' })}\n`)
}
