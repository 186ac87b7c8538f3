import { startVaultService } from '#packages/vault-service/main'
import env from '#start/service_env'
import { availableParallelism } from 'node:os'

/** Object storage: uploads, the CDN and S3's protocol at one port. */
export async function start() {
  const service = await startVaultService({
    host: env.get('HOST'),
    port: env.get('VAULT_PORT')!,
    databaseUrl: env.get('VAULT_DATABASE_URL')!.release(),
    key: env.get('VAULT_KEY')!.release(),
    controlKey: env.get('VAULT_CONTROL_KEY')!.release(),
    folder: env.get('VAULT_FOLDER')!,
    reserve: env.get('VAULT_RESERVE'),
    threads: env.get('VAULT_THREADS') ?? Math.min(availableParallelism(), 4),
    log,
    onFatal(why) {
      log({ level: 60, msg: `ending: ${why}` })
      process.exit(1)
    },
  })
  return () => service.stop()
}

function log(entry: object): void {
  process.stdout.write(`${JSON.stringify({ ...entry, time: Date.now(), name: 'berth-vault' })}\n`)
}
