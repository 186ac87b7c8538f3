import { Env } from '@adonisjs/core/env'
import { Resolver } from 'node:dns'

/** Rejects invalid addresses, which would make every domain check fail later. */
function nameServers(_name: string, value?: string): string | undefined {
  if (value) new Resolver().setServers(value.split(',').map((text) => text.trim()))
  return value
}

/**
 * `./berth` sets the environment of the console's processes, and each process gets a part (cli/roles.ts). No
 * secret has a default: no process starts without APP_KEY or DATABASE_URL.
 */
export default await Env.create(new URL('../', import.meta.url), {
  NODE_ENV: Env.schema.enum(['development', 'production', 'test'] as const),
  HOST: Env.schema.string({ format: 'host' }),
  PORT: Env.schema.number(),
  GATEWAY_PORT: Env.schema.number.optional(),
  VAULT_PORT: Env.schema.number.optional(),
  MAIL_PORT: Env.schema.number.optional(),
  MAIL_SMTP_PORT: Env.schema.number.optional(),
  MAIL_INBOUND_PORT: Env.schema.number.optional(),
  APP_KEY: Env.schema.secret(),
  APP_URL: Env.schema.string({ format: 'url', tld: false }),
  GATEWAY_URL: Env.schema.string.optional(),
  VAULT_URL: Env.schema.string.optional(),
  /** The vault service's control API, for web and worker. */
  VAULT_CONTROL_URL: Env.schema.string.optional(),
  VAULT_CONTROL_KEY: Env.schema.secret.optional(),
  MAIL_URL: Env.schema.string.optional(),
  /** The mail service's control API, for web and worker. */
  MAIL_CONTROL_URL: Env.schema.string.optional(),
  MAIL_CONTROL_KEY: Env.schema.secret.optional(),
  DATABASE_URL: Env.schema.secret(),
  MIGRATION_DATABASE_URL: Env.schema.secret.optional(),
  /** Addresses and networks whose X-Forwarded-For header is trusted, besides this machine. */
  TRUSTED_PROXIES: Env.schema.string.optional(),
  BERTH_HOME: Env.schema.string(),
  /** Id of this control machine, stored in its BERTH_HOME. */
  MACHINE_ID: Env.schema.string(),
  LOG_LEVEL: Env.schema.string.optional(),

  /** Folder of the sockets on which processes report metrics. Without it, nothing is measured. */
  METRICS_FOLDER: Env.schema.string.optional(),
  /**
   * Port at which web serves the metrics of its machine, at METRICS_HOST (default 127.0.0.1). 0 disables it.
   */
  METRICS_PORT: Env.schema.number.optional(),
  METRICS_HOST: Env.schema.string.optional({ format: 'host' }),
  /** Bearer token that lets other machines read the metrics. */
  METRICS_TOKEN: Env.schema.secret.optional(),
  /** URL for OTLP/HTTP. Without it, tracing is off. OpenTelemetry reads its other variables itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Env.schema.string.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Env.schema.string.optional(),

  /** Set if Incus runs on this machine. */
  INCUS_SOCKET: Env.schema.string.optional(),
  /** Socket that gives the gateway root shells on this machine if it does not run as root. */
  HOST_SHELL: Env.schema.string.optional(),
  HEALTH_SOCKET: Env.schema.string.optional(),
  /**
   * Socket that starts programs that parse customers' files. Without it, they run as the user of this process.
   */
  SANDBOX_SOCKET: Env.schema.string.optional(),
  /** Ratio of allocated to physical CPUs. Default 4. */
  CPU_OVERCOMMIT: Env.schema.number.optional(),
  /** Admin API of Caddy, if Caddy runs on this machine. */
  EDGE_ADMIN: Env.schema.string.optional(),
  EDGE_HTTP_PORT: Env.schema.number.optional(),
  EDGE_HTTPS_PORT: Env.schema.number.optional(),
  EDGE_VERSION: Env.schema.string.optional(),
  EDGE_OUTDATED: Env.schema.enum.optional(['yes'] as const),
  /** `internal`: Caddy's own certificate authority, for tests and closed networks. */
  EDGE_ISSUER: Env.schema.enum.optional(['acme', 'internal'] as const),
  EDGE_EMAIL: Env.schema.string.optional(),
  /** Directory of another ACME authority, and a PEM file with its root certificates. */
  EDGE_ACME_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  EDGE_ACME_ROOTS: Env.schema.string.optional(),
  /** Address that customers point their DNS records at. Default: the address of this machine. */
  PUBLIC_IP: Env.schema.string.optional(),
  /** Ports of this machine that its instances may connect to, separated by commas. */
  PUBLIC_PORTS: Env.schema.string.optional(),
  /** DNS servers for domain checks, separated by commas: `address` or `address:port`. */
  DNS_SERVERS: nameServers,

  /**
   * Database servers for customers without an instance that can run one. The account in the URL must be
   * allowed to create databases and users (`mysql://user:password@host:3306`, `mongodb://…`).
   */
  MYSQL_URL: Env.schema.secret.optional(),
  MONGODB_URL: Env.schema.secret.optional(),
  /**
   * APT source of the MongoDB packages for instances, and the URL of its signing key. Default: MongoDB's own
   * repository. The key `trusted` accepts an unsigned repository.
   */
  MONGODB_REPOSITORY: Env.schema.string.optional(),
  MONGODB_REPOSITORY_KEY: Env.schema.string.optional(),

  /** Mail server. Without one, emails stay in the outbox (`./berth outbox`). */
  SMTP_URL: Env.schema.secret.optional(),
  MAIL_FROM: Env.schema.string.optional(),

  GOOGLE_CLIENT_ID: Env.schema.string.optional(),
  GOOGLE_CLIENT_SECRET: Env.schema.secret.optional(),
  /** Replaces Google as OpenID provider. Tests use a local one. */
  GOOGLE_ISSUER: Env.schema.string.optional(),
})
