import { Env } from '@adonisjs/core/env'

/**
 * What a service is told that stands beside the console and has none of its secrets. Each gets its
 * own part: a key, a login of the database and a folder that nobody else has.
 */
const env = await Env.create(new URL('../', import.meta.url), {
  HOST: Env.schema.string({ format: 'host' }),
  /** Where it has a socket that its figures are asked at. */
  METRICS_FOLDER: Env.schema.string.optional(),
  VAULT_PORT: Env.schema.number.optional(),
  VAULT_KEY: Env.schema.secret.optional(),
  VAULT_DATABASE_URL: Env.schema.secret.optional(),
  VAULT_CONTROL_KEY: Env.schema.secret.optional(),
  VAULT_FOLDER: Env.schema.string.optional(),
  /** How many threads serve; one for each processor, 4 at most, unless told. */
  VAULT_THREADS: Env.schema.number.optional(),
  /** Where new vaults are: the folder, or the bucket of another S3 store that the five below name. */
  VAULT_STORE: Env.schema.enum.optional(['folder', 'bucket'] as const),
  VAULT_BUCKET_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  VAULT_BUCKET_NAME: Env.schema.string.optional(),
  VAULT_BUCKET_REGION: Env.schema.string.optional(),
  VAULT_BUCKET_KEY: Env.schema.string.optional(),
  VAULT_BUCKET_SECRET: Env.schema.secret.optional(),
  /** Whose X-Forwarded-For is believed, besides this machine's: wrong keys are counted by address. */
  TRUSTED_PROXIES: Env.schema.string.optional(),
  /** Bytes of the disk that uploads leave free; 1 GB unless told. */
  VAULT_RESERVE: Env.schema.number.optional(),
  MAIL_PORT: Env.schema.number.optional(),
  MAIL_SMTP_PORT: Env.schema.number.optional(),
  /** Where other servers' reports come in; 25 in production. */
  MAIL_INBOUND_PORT: Env.schema.number.optional(),
  MAIL_KEY: Env.schema.secret.optional(),
  MAIL_CONTROL_KEY: Env.schema.secret.optional(),
  MAIL_DATABASE_URL: Env.schema.secret.optional(),
  MAIL_FOLDER: Env.schema.string.optional(),
  /** The service's public host name: what it calls itself to other servers. Without it nothing leaves but by SMTP_URL. */
  MAIL_HOST: Env.schema.string.optional({ format: 'host' }),
  /** Where the service is reached by HTTP from outside. */
  MAIL_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  /** PEM files for STARTTLS; a certificate of its own unless told. */
  MAIL_TLS_CERT: Env.schema.string.optional(),
  MAIL_TLS_KEY: Env.schema.string.optional(),
  /** A relay that everything goes through (`smtps://user:password@host:465`). */
  SMTP_URL: Env.schema.secret.optional(),
  INCUS_SOCKET: Env.schema.string.optional(),
  INSTALLATION_ID: Env.schema.string.optional(),
  BROKER_FOLDER: Env.schema.string.optional(),
})

export default env

type SecretName = `${'VAULT' | 'MAIL'}_${'KEY' | 'CONTROL_KEY' | 'DATABASE_URL'}`

/** A secret of the service that starts. None has a default: throws where it is not told. */
export function secretOf(name: SecretName): string {
  const secret = env.get(name)
  if (!secret) throw new Error(`${name} is not set, and has no default`)
  return secret.release()
}
