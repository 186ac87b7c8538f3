import { startMailService } from '#packages/mail-service/main'
import { migrationNames } from '#database/migration_names'
import type { RunningService } from '#packages/service/graceful_handover'
import { measureService } from '#start/measured_service'
import env, { secretOf } from '#start/service_env'

/** Time that clients have to finish a submission after another process has taken over. */
const LEAVE_TIMEOUT_MS = 20_000

/**
 * Starts the API on MAIL_PORT and SMTP for customers on MAIL_SMTP_PORT. If MAIL_INBOUND_PORT is set, starts SMTP on it
 * for mail from other servers (bounces, complaints, replies).
 */
export async function start(): Promise<RunningService> {
  const service = await startMailService({
    host: env.get('HOST'),
    port: env.get('MAIL_PORT')!,
    smtpPort: env.get('MAIL_SMTP_PORT')!,
    inboundPort: env.get('MAIL_INBOUND_PORT'),
    databaseUrl: secretOf('MAIL_DATABASE_URL'),
    key: secretOf('MAIL_KEY'),
    controlKey: secretOf('MAIL_CONTROL_KEY'),
    folder: env.get('MAIL_FOLDER')!,
    migrations: await migrationNames(),
    mailHost: env.get('MAIL_HOST'),
    publicUrl: env.get('MAIL_URL'),
    relayUrl: env.get('SMTP_URL')?.release(),
    trustedProxies: env.get('TRUSTED_PROXIES'),
    tlsCert: env.get('MAIL_TLS_CERT'),
    tlsKey: env.get('MAIL_TLS_KEY'),
    log,
  })
  const stopReports = await measureService('mail', service.healthy)
  const stop = async (timeoutMs?: number) => {
    await stopReports()
    await service.stop(timeoutMs)
  }
  return { stop: () => stop(), leave: () => stop(LEAVE_TIMEOUT_MS) }
}

function log(entry: object): void {
  process.stdout.write(`${JSON.stringify({ ...entry, time: Date.now(), name: 'berth-mail' })}\n`)
}
