import { Env } from '@adonisjs/core/env'
import { Resolver } from 'node:dns'

/** Refused at the start, because each look at a domain would fail with it. */
function nameServers(_name: string, value?: string): string | undefined {
  if (value) new Resolver().setServers(value.split(',').map((text) => text.trim()))
  return value
}

/**
 * What the console's processes are told (`./berth` makes all of it, each gets its part: cli/roles.ts).
 * No secret has a default: without APP_KEY or DATABASE_URL none of them starts.
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
  /** Where the console asks the vault service, and with what; web and worker have it. */
  VAULT_CONTROL_URL: Env.schema.string.optional(),
  VAULT_CONTROL_KEY: Env.schema.secret.optional(),
  MAIL_URL: Env.schema.string.optional(),
  /** Where the console asks the mail service, and with what; web and worker have it. */
  MAIL_CONTROL_URL: Env.schema.string.optional(),
  MAIL_CONTROL_KEY: Env.schema.secret.optional(),
  DATABASE_URL: Env.schema.secret(),
  MIGRATION_DATABASE_URL: Env.schema.secret.optional(),
  /** Addresses and networks whose X-Forwarded-For is believed, besides this machine. */
  TRUSTED_PROXIES: Env.schema.string.optional(),
  BERTH_HOME: Env.schema.string(),
  /** Which control machine this is; kept in its home. */
  MACHINE_ID: Env.schema.string(),
  LOG_LEVEL: Env.schema.string.optional(),

  /** Where each process has a socket that its figures are asked at; without it nothing is measured. */
  METRICS_FOLDER: Env.schema.string.optional(),
  /** Where web tells all figures of its machine: a port of METRICS_HOST (127.0.0.1); 0 for nowhere. */
  METRICS_PORT: Env.schema.number.optional(),
  METRICS_HOST: Env.schema.string.optional({ format: 'host' }),
  /** Whoever has it may read them from elsewhere. */
  METRICS_TOKEN: Env.schema.secret.optional(),
  /** Where traces are sent, OTLP by HTTP; without it nothing is traced. OpenTelemetry reads its other variables itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Env.schema.string.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Env.schema.string.optional(),

  /** Unix socket of the Incus on this machine, where there is one. */
  INCUS_SOCKET: Env.schema.string.optional(),
  /** Where the gateway gets root shells on this machine, when it is not root itself. */
  HOST_SHELL: Env.schema.string.optional(),
  /** Unix socket at which the worker says how it is. */
  HEALTH_SOCKET: Env.schema.string.optional(),
  /**
   * Socket at which programs that parse files of customers are started. Without it they run as the user of
   * this process.
   */
  SANDBOX_SOCKET: Env.schema.string.optional(),
  /** How many times over processors may be allocated; 4 unless told. */
  CPU_OVERCOMMIT: Env.schema.number.optional(),
  /** Admin address of the Caddy on this machine, where there is one. */
  EDGE_ADMIN: Env.schema.string.optional(),
  EDGE_HTTP_PORT: Env.schema.number.optional(),
  EDGE_HTTPS_PORT: Env.schema.number.optional(),
  EDGE_VERSION: Env.schema.string.optional(),
  EDGE_OUTDATED: Env.schema.enum.optional(['yes'] as const),
  /** `internal`: certificates of Caddy's own authority, for tests and closed networks. */
  EDGE_ISSUER: Env.schema.enum.optional(['acme', 'internal'] as const),
  /** Told to the certificate authority. */
  EDGE_EMAIL: Env.schema.string.optional(),
  /** The directory of another ACME authority, and a PEM file with its roots. */
  EDGE_ACME_URL: Env.schema.string.optional({ format: 'url', tld: false }),
  EDGE_ACME_ROOTS: Env.schema.string.optional(),
  /** Where customers' domains are to lead; the address of this machine unless told. */
  PUBLIC_IP: Env.schema.string.optional(),
  /** Ports of this machine that its instances may reach there, by commas. */
  PUBLIC_PORTS: Env.schema.string.optional(),
  /** Name servers (`address` or `address:port`, by commas) that are asked about domains. */
  DNS_SERVERS: nameServers,

  /**
   * Servers of databases for customers without an instance of their own that can have one: addresses with
   * an account that may make databases and users (`mysql://user:password@host:3306`, `mongodb://…`).
   */
  MYSQL_URL: Env.schema.secret.optional(),
  MONGODB_URL: Env.schema.secret.optional(),
  /**
   * Where instances get MongoDB's packages from, as apt names it, and the address of its key; MongoDB's own
   * unless told. The key `trusted` believes a repository without one.
   */
  MONGODB_REPOSITORY: Env.schema.string.optional(),
  MONGODB_REPOSITORY_KEY: Env.schema.string.optional(),

  /** Without a server, mails are caught in the outbox (`./berth outbox`). */
  SMTP_URL: Env.schema.secret.optional(),
  MAIL_FROM: Env.schema.string.optional(),

  GOOGLE_CLIENT_ID: Env.schema.string.optional(),
  GOOGLE_CLIENT_SECRET: Env.schema.secret.optional(),
  /** Another OpenID provider in Google's place; tests name a local one. */
  GOOGLE_ISSUER: Env.schema.string.optional(),
})
