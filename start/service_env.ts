import { Env } from '@adonisjs/core/env'

/**
 * Environment variables of a service that runs beside the console, and gets neither APP_KEY nor DATABASE_URL. The vault
 * and the mail service each have a separate key, database role and folder.
 */
const env = await Env.create(new URL('../', import.meta.url), {
  HOST: Env.schema.string({ format: 'host' }),
  METRICS_FOLDER: Env.schema.string.optional(),
  VAULT_PORT: Env.schema.number.optional(),
  VAULT_KEY: Env.schema.secret.optional(),
  VAULT_DATABASE_URL: Env.schema.secret.optional(),
  VAULT_CONTROL_KEY: Env.schema.secret.optional(),
  VAULT_FOLDER: Env.schema.string.optional(),
  /** Number of the vault's threads. Default: one for each CPU, at most 4. */
  VAULT_THREADS: Env.schema.number.optional(),
  /**
   * Storage of new vaults: `folder`, or `bucket` for a bucket of another S3 server. The next five variables describe
   * that bucket.
   */
  VAULT_STORE: Env.schema.enum.optional(['folder', 'bucket'] as const),
  VAULT_BUCKET_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  VAULT_BUCKET_NAME: Env.schema.string.optional(),
  VAULT_BUCKET_REGION: Env.schema.string.optional(),
  VAULT_BUCKET_KEY: Env.schema.string.optional(),
  VAULT_BUCKET_SECRET: Env.schema.secret.optional(),
  /**
   * Proxies besides those on this machine whose X-Forwarded-For header is trusted. Wrong keys are counted by the
   * client's address.
   */
  TRUSTED_PROXIES: Env.schema.string.optional(),
  /** Bytes that uploads must leave free on the disk. Default 1 GiB. */
  VAULT_RESERVE: Env.schema.number.optional(),
  MAIL_PORT: Env.schema.number.optional(),
  MAIL_SMTP_PORT: Env.schema.number.optional(),
  /** Port at which mail from other servers arrives. 25 in production. */
  MAIL_INBOUND_PORT: Env.schema.number.optional(),
  MAIL_KEY: Env.schema.secret.optional(),
  MAIL_CONTROL_KEY: Env.schema.secret.optional(),
  MAIL_DATABASE_URL: Env.schema.secret.optional(),
  MAIL_FOLDER: Env.schema.string.optional(),
  /**
   * Public host name, with which the service also introduces itself to other mail servers. If it is not set, email can
   * be sent only through SMTP_URL.
   */
  MAIL_HOST: Env.schema.string.optional({ format: 'host' }),
  MAIL_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  /** PEM files for STARTTLS. Default: a self-signed certificate. */
  MAIL_TLS_CERT: Env.schema.string.optional(),
  MAIL_TLS_KEY: Env.schema.string.optional(),
  /** URL of the relay for all outgoing mail (`smtps://user:password@host:465`). */
  SMTP_URL: Env.schema.secret.optional(),
  INCUS_SOCKET: Env.schema.string.optional(),
  INSTALLATION_ID: Env.schema.string.optional(),
  BROKER_FOLDER: Env.schema.string.optional(),
})

export default env

type SecretName = `${'VAULT' | 'MAIL'}_${'KEY' | 'CONTROL_KEY' | 'DATABASE_URL'}`

/** @throws Error if the secret is not set, because secrets have no defaults */
export function secretOf(name: SecretName): string {
  const secret = env.get(name)
  if (!secret) throw new Error(`${name} is not set, and has no default`)
  return secret.release()
}
