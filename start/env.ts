import { Env } from '@adonisjs/core/env'
import { Resolver } from 'node:dns'

/** Checks the addresses of DNS servers, because an invalid address would make every domain check fail later. */
function nameServers(_name: string, value?: string): string | undefined {
  if (value) new Resolver().setServers(value.split(',').map((text) => text.trim()))
  return value
}

/**
 * Environment variables of the console's processes. `./berth` sets them, and each process gets only those that it needs
 * (cli/roles.ts). No secret has a default, so none of these processes starts without APP_KEY or DATABASE_URL.
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
  /** URL of the vault service's control API, for the web process and the worker. */
  VAULT_CONTROL_URL: Env.schema.string.optional(),
  VAULT_CONTROL_KEY: Env.schema.secret.optional(),
  MAIL_URL: Env.schema.string.optional(),
  /** URL of the mail service's control API, for the web process and the worker. */
  MAIL_CONTROL_URL: Env.schema.string.optional(),
  MAIL_CONTROL_KEY: Env.schema.secret.optional(),
  DATABASE_URL: Env.schema.secret(),
  MIGRATION_DATABASE_URL: Env.schema.secret.optional(),
  /**
   * Addresses and networks of proxies. Their X-Forwarded-For header is trusted, like that of proxies on this machine.
   */
  TRUSTED_PROXIES: Env.schema.string.optional(),
  BERTH_HOME: Env.schema.string(),
  /** ID of this control machine, which is stored in the home (BERTH_HOME). */
  MACHINE_ID: Env.schema.string(),
  LOG_LEVEL: Env.schema.string.optional(),

  /** Folder of the sockets over which processes report metrics. If it is not set, nothing is measured. */
  METRICS_FOLDER: Env.schema.string.optional(),
  /**
   * Port at which the web process serves the metrics of its machine, on METRICS_HOST (default 127.0.0.1). 0 disables
   * it.
   */
  METRICS_PORT: Env.schema.number.optional(),
  METRICS_HOST: Env.schema.string.optional({ format: 'host' }),
  /** Bearer token with which other machines may read the metrics. */
  METRICS_TOKEN: Env.schema.secret.optional(),
  /**
   * URL of an OTLP/HTTP collector, for all signals or only for traces. If neither is set, tracing is off. OpenTelemetry
   * reads its other variables itself.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: Env.schema.string.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Env.schema.string.optional(),

  /** Path of the socket of Incus, or of the broker that restricts calls to it. Set if Incus runs on this machine. */
  INCUS_SOCKET: Env.schema.string.optional(),
  /** Path of the socket over which the gateway gets root shells on this machine if it does not run as root. */
  HOST_SHELL: Env.schema.string.optional(),
  HEALTH_SOCKET: Env.schema.string.optional(),
  /**
   * Path of the socket over which programs that parse customers' files are started. If it is not set, they run as the
   * user of this process.
   */
  SANDBOX_SOCKET: Env.schema.string.optional(),
  /** Ratio of allocated to physical CPUs. Default 4. */
  CPU_OVERCOMMIT: Env.schema.number.optional(),
  /** Address of Caddy's admin API. Set if Caddy runs on this machine. */
  EDGE_ADMIN: Env.schema.string.optional(),
  EDGE_HTTP_PORT: Env.schema.number.optional(),
  EDGE_HTTPS_PORT: Env.schema.number.optional(),
  EDGE_VERSION: Env.schema.string.optional(),
  EDGE_OUTDATED: Env.schema.enum.optional(['yes'] as const),
  /** Authority that issues certificates. `internal`: Caddy's own authority, for tests and closed networks. */
  EDGE_ISSUER: Env.schema.enum.optional(['acme', 'internal'] as const),
  EDGE_EMAIL: Env.schema.string.optional(),
  /** Directory URL of another ACME authority, and a PEM file with the authority's root certificates. */
  EDGE_ACME_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  EDGE_ACME_ROOTS: Env.schema.string.optional(),
  /** IP address to which customers' DNS records must lead. Default: the address of this machine. */
  PUBLIC_IP: Env.schema.string.optional(),
  /** Ports of this machine to which its instances may connect, separated by commas. */
  PUBLIC_PORTS: Env.schema.string.optional(),
  /** DNS servers for checks of domains, separated by commas, each as `address` or `address:port`. */
  DNS_SERVERS: nameServers,

  /**
   * URLs of database servers for databases that do not run on an instance. The account in the URL must be allowed to
   * create databases and users (`mysql://user:password@host:3306`, `mongodb://…`).
   */
  MYSQL_URL: Env.schema.secret.optional(),
  MONGODB_URL: Env.schema.secret.optional(),
  /**
   * APT source of the MongoDB packages for instances, and the URL of its signing key. Default: MongoDB's own
   * repository. If the key is `trusted`, an unsigned repository is accepted.
   */
  MONGODB_REPOSITORY: Env.schema.string.optional(),
  MONGODB_REPOSITORY_KEY: Env.schema.string.optional(),

  /** URL of an SMTP relay. Without it and without the mail service's MAIL_HOST, emails stay in the outbox. */
  SMTP_URL: Env.schema.secret.optional(),
  MAIL_FROM: Env.schema.string.optional(),

  GOOGLE_CLIENT_ID: Env.schema.string.optional(),
  GOOGLE_CLIENT_SECRET: Env.schema.secret.optional(),
  /** URL of an OpenID provider that replaces Google. Tests use one on this machine. */
  GOOGLE_ISSUER: Env.schema.string.optional(),
})
