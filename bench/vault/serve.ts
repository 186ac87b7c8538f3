import { startVaultService } from '#packages/vault-service/main'

/** The vault service as a process of its own, with two threads, as the other side has two workers. Tells its port. */
const { VAULT_DATABASE_URL, VAULT_KEY, VAULT_CONTROL_KEY, VAULT_FOLDER } = process.env
const service = await startVaultService({
  host: '127.0.0.1',
  port: Number(process.env.VAULT_PORT),
  databaseUrl: VAULT_DATABASE_URL!,
  key: VAULT_KEY!,
  controlKey: VAULT_CONTROL_KEY!,
  folder: VAULT_FOLDER!,
  reserve: 0,
  threads: 2,
})
process.once('SIGTERM', () => void service.stop().then(() => process.exit()))
process.stdout.write(`port ${service.port}\n`)
