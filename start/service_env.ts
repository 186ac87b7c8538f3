import { Env } from '@adonisjs/core/env'

/**
 * Environment of a service that runs beside the console and has none of its secrets. Each service gets its own
 * key, database login and folder.
 */
const env = await Env.create(new URL('../', import.meta.url), {
  HOST: Env.schema.string({ format: 'host' }),
  METRICS_FOLDER: Env.schema.string.optional(),
  VAULT_PORT: Env.schema.number.optional(),
  VAULT_KEY: Env.schema.secret.optional(),
  VAULT_DATABASE_URL: Env.schema.secret.optional(),
  VAULT_CONTROL_KEY: Env.schema.secret.optional(),
  VAULT_FOLDER: Env.schema.string.optional(),
  /** Number of threads. Default: one for each CPU, at most 4. */
  VAULT_THREADS: Env.schema.number.optional(),
  /**
   * Storage of new vaults: `folder`, or a bucket of another S3 store, which the next five variables describe.
   */
  VAULT_STORE: Env.schema.enum.optional(['folder', 'bucket'] as const),
  VAULT_BUCKET_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  VAULT_BUCKET_NAME: Env.schema.string.optional(),
  VAULT_BUCKET_REGION: Env.schema.string.optional(),
  VAULT_BUCKET_KEY: Env.schema.string.optional(),
  VAULT_BUCKET_SECRET: Env.schema.secret.optional(),
  /**
   * Proxies whose X-Forwarded-For header is trusted, besides this machine. Attempts with wrong keys are
   * counted by address.
   */
  TRUSTED_PROXIES: Env.schema.string.optional(),
  /** Bytes that uploads must leave free on the disk. Default 1 GB. */
  VAULT_RESERVE: Env.schema.number.optional(),
  MAIL_PORT: Env.schema.number.optional(),
  MAIL_SMTP_PORT: Env.schema.number.optional(),
  /** Port for mail from other servers. 25 in production. */
  MAIL_INBOUND_PORT: Env.schema.number.optional(),
  MAIL_KEY: Env.schema.secret.optional(),
  MAIL_CONTROL_KEY: Env.schema.secret.optional(),
  MAIL_DATABASE_URL: Env.schema.secret.optional(),
  MAIL_FOLDER: Env.schema.string.optional(),
  /**
   * Public host name, which the service also uses towards other mail servers. Without it, email can leave only
   * through SMTP_URL.
   */
  MAIL_HOST: Env.schema.string.optional({ format: 'host' }),
  MAIL_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  /** PEM files for STARTTLS. Default: a self-signed certificate. */
  MAIL_TLS_CERT: Env.schema.string.optional(),
  MAIL_TLS_KEY: Env.schema.string.optional(),
  /** Relay for all outgoing mail (`smtps://user:password@host:465`). */
  SMTP_URL: Env.schema.secret.optional(),
  INCUS_SOCKET: Env.schema.string.optional(),
  INSTALLATION_ID: Env.schema.string.optional(),
  BROKER_FOLDER: Env.schema.string.optional(),
})

export default env

type SecretName = `${'VAULT' | 'MAIL'}_${'KEY' | 'CONTROL_KEY' | 'DATABASE_URL'}`

/** @throws if the secret is not set. There are no defaults */
export function secretOf(name: SecretName): string {
  const secret = env.get(name)
  if (!secret) throw new Error(`${name} is not set, and has no default`)
  return secret.release()
}
