import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { CliError, type BerthHome } from './berth_home.js'
import { heapLimitArgs } from './heap_limits.js'
import type { BerthDatabase } from './postgres/connections.js'
import type { LocalEdge } from './local_edge.js'
import type { ProcessSpec } from './supervisor.js'
import type { PublicServices } from '../packages/incus/main.js'

/** Processes of Berth except the broker (decision 0011), in the order in which they are started. */
export const roleNames = ['web', 'gateway', 'worker', 'vault', 'mail'] as const

export const listeningPortNames = [
  'web',
  'gateway',
  'vault',
  'mail',
  'mail_smtp',
  'mail_inbound',
  'metrics',
] as const

/**
 * Returns the roles that can start. With an external database, vault and mail can start only if the operator has
 * configured the database URLs of their PostgreSQL roles.
 */
export function startableRoles<Name extends string>(
  names: readonly Name[],
  env: NodeJS.ProcessEnv
): Name[] {
  const missing = { vault: !env.VAULT_DATABASE_URL, mail: !env.MAIL_DATABASE_URL }
  return names.filter((name) => !missing[name as keyof typeof missing])
}

export interface ProcessPorts {
  web: number
  gateway: number
  vault: number
  mail: number
  /** Port at which customers' programs submit mail by SMTP. */
  mail_smtp: number
  /** Port at which other mail servers deliver mail such as bounces (25 in production). */
  mail_inbound: number
  /** Port at which Prometheus reads the metrics of all processes on this machine. 0 disables it. */
  metrics: number
}

/**
 * Reads the ports from the environment. The default of PORT is 3333. The defaults of the others are the six ports after
 * PORT.
 * @throws CliError for a value that is not a port number
 */
export function portsFromEnv(env: NodeJS.ProcessEnv = process.env): ProcessPorts {
  const read = (name: string, otherwise: number) => {
    if (!env[name]) return otherwise
    const port = Number(env[name])
    if (name === 'METRICS_PORT' && port === 0) return 0
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new CliError(`${name} must be a port number from 1 to 65535, not "${env[name]}"`)
    }
    return port
  }
  const web = read('PORT', 3333)
  return {
    web,
    gateway: read('GATEWAY_PORT', web + 1),
    vault: read('VAULT_PORT', web + 2),
    mail: read('MAIL_PORT', web + 3),
    mail_smtp: read('MAIL_SMTP_PORT', web + 4),
    mail_inbound: read('MAIL_INBOUND_PORT', web + 5),
    metrics: read('METRICS_PORT', web + 6),
  }
}

/**
 * Returns the public services on this machine that its instances may use too (docs/decisions/0006): websites, object
 * storage and mail. The console and the gateway are missing, because only browsers use them.
 */
export function publicServices(
  { vault, mail, mail_smtp }: ProcessPorts,
  { httpPort, httpsPort }: LocalEdge,
  env: NodeJS.ProcessEnv = process.env
): PublicServices {
  // If a reverse proxy on this machine serves the vault and mail, their public ports may be different.
  const proxied = [env.VAULT_URL, env.MAIL_URL].flatMap((url) => {
    if (!url || !URL.canParse(url)) return []
    const { port, protocol } = new URL(url)
    return [Number(port) || (protocol === 'http:' ? 80 : 443)]
  })
  const all = [httpPort, httpsPort, vault, mail, mail_smtp, ...proxied]
  const ports = [...new Set(all)].sort((one, other) => one - other)
  return { ports, ...(env.PUBLIC_IP && { address: env.PUBLIC_IP }) }
}

export interface LocalServices {
  incusSocket?: string
  edge?: LocalEdge
}

const passedThrough = [
  'PATH',
  'LANG',
  'TZ',
  'SMTP_URL',
  'MYSQL_URL',
  'MONGODB_URL',
  'MONGODB_REPOSITORY',
  'MONGODB_REPOSITORY_KEY',
  'MAIL_FROM',
  'EDGE_ISSUER',
  'EDGE_EMAIL',
  'EDGE_ACME_URL',
  'EDGE_ACME_ROOTS',
  'PUBLIC_IP',
  'DNS_SERVERS',
  'FIRST_ADMIN_EMAIL',
  'GATEWAY_URL',
  'VAULT_URL',
  'VAULT_THREADS',
  'VAULT_RESERVE',
  'VAULT_STORE',
  'VAULT_BUCKET_URL',
  'VAULT_BUCKET_NAME',
  'VAULT_BUCKET_REGION',
  'VAULT_BUCKET_KEY',
  'VAULT_BUCKET_SECRET',
  'MAIL_URL',
  'MAIL_HOST',
  'MAIL_TLS_CERT',
  'MAIL_TLS_KEY',
  'TRUSTED_PROXIES',
  'GOOGLE_CLIENT_ID',
  'GOOGLE_CLIENT_SECRET',
  'GOOGLE_ISSUER',
  'HTTP_PROXY',
  'CPU_OVERCOMMIT',
  'HOST_TERMINAL',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'METRICS_HOST',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
]

/**
 * Returns the environment variables of Berth's commands and processes. They inherit no other variables from this
 * process. A role's process gets only those that `selectProcessEnv` selects.
 */
export function commonProcessEnv(options: {
  home: BerthHome
  database: BerthDatabase
  ports: ProcessPorts
  mode: 'production' | 'development' | 'test'
  local?: LocalServices
  env?: NodeJS.ProcessEnv
}): NodeJS.ProcessEnv {
  const { home, database, ports, mode, local = {}, env = process.env } = options
  const inheritedEnv = Object.fromEntries(
    passedThrough.filter((name) => env[name]).map((name) => [name, env[name]])
  )
  return {
    ...inheritedEnv,
    NODE_ENV: mode,
    HOST: env.HOST ?? '0.0.0.0',
    PORT: String(ports.web),
    GATEWAY_PORT: String(ports.gateway),
    VAULT_PORT: String(ports.vault),
    MAIL_PORT: String(ports.mail),
    MAIL_SMTP_PORT: String(ports.mail_smtp),
    MAIL_INBOUND_PORT: String(ports.mail_inbound),
    APP_KEY: home.secrets.appKey,
    APP_URL: env.APP_URL ?? `http://localhost:${ports.web}`,
    DATABASE_URL: database.appUrl,
    VAULT_KEY: home.secrets.vaultKey,
    VAULT_CONTROL_KEY: home.secrets.vaultControlKey,
    VAULT_CONTROL_URL: env.VAULT_CONTROL_URL ?? `http://127.0.0.1:${ports.vault}`,
    VAULT_FOLDER: join(home.path, 'vault'),
    MAIL_KEY: home.secrets.mailKey,
    MAIL_CONTROL_KEY: home.secrets.mailControlKey,
    MAIL_CONTROL_URL: env.MAIL_CONTROL_URL ?? `http://127.0.0.1:${ports.mail}`,
    MAIL_FOLDER: join(home.path, 'mail'),
    ...(database.vaultUrl && { VAULT_DATABASE_URL: database.vaultUrl }),
    ...(database.mailUrl && { MAIL_DATABASE_URL: database.mailUrl }),
    BERTH_HOME: home.path,
    MACHINE_ID: home.machine,
    LOG_LEVEL: env.LOG_LEVEL ?? 'info',
    METRICS_FOLDER: join(home.path, 'metrics'),
    METRICS_PORT: String(ports.metrics),
    ...(local.incusSocket && { INCUS_SOCKET: local.incusSocket }),
    ...(local.edge && {
      EDGE_ADMIN: local.edge.admin,
      EDGE_HTTP_PORT: String(local.edge.httpPort),
      EDGE_HTTPS_PORT: String(local.edge.httpsPort),
      ...(local.edge.version && { EDGE_VERSION: local.edge.version }),
      ...(local.edge.isOutdated && { EDGE_OUTDATED: 'yes' }),
      PUBLIC_PORTS: publicServices(ports, local.edge, env).ports.join(','),
    }),
  }
}

export function migrationEnv(env: NodeJS.ProcessEnv, database: BerthDatabase): NodeJS.ProcessEnv {
  return { ...env, MIGRATION_DATABASE_URL: database.ownerUrl }
}

/** Environment variables that the processes of all roles get. None of them is secret. */
const commonEnvNames = [
  'PATH',
  'LANG',
  'TZ',
  'NODE_ENV',
  'HOST',
  'LOG_LEVEL',
  'NODE_EXTRA_CA_CERTS',
  'METRICS_FOLDER',
]
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']
const addresses = [
  'PORT',
  'GATEWAY_PORT',
  'VAULT_PORT',
  'MAIL_PORT',
  'APP_URL',
  'GATEWAY_URL',
  'VAULT_URL',
  'MAIL_URL',
]
const tracing = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
]
const console = [
  ...tracing,
  'APP_KEY',
  'DATABASE_URL',
  'BERTH_HOME',
  'MACHINE_ID',
  'CPU_OVERCOMMIT',
  'PUBLIC_IP',
  'TRUSTED_PROXIES',
  ...addresses,
]

/** URLs of database servers on which Berth creates databases for customers. They contain passwords. */
const managed = ['MYSQL_URL', 'MONGODB_URL']

const control = ['VAULT_CONTROL_KEY', 'VAULT_CONTROL_URL', 'MAIL_CONTROL_KEY', 'MAIL_CONTROL_URL']

export const envNamesByRole = {
  web: [
    ...console,
    ...proxies,
    ...control,
    ...managed,
    'INCUS_SOCKET',
    'MAIL_FROM',
    'SMTP_URL',
    'GOOGLE_CLIENT_ID',
    'GOOGLE_CLIENT_SECRET',
    'GOOGLE_ISSUER',
    'SANDBOX_SOCKET',
    'METRICS_PORT',
    'METRICS_HOST',
    'METRICS_TOKEN',
    'EDGE_VERSION',
    'EDGE_OUTDATED',
    'DNS_SERVERS',
  ],
  gateway: [...console, 'INCUS_SOCKET', 'HOST_SHELL'],
  vault: [
    'VAULT_PORT',
    'VAULT_KEY',
    'VAULT_CONTROL_KEY',
    'VAULT_DATABASE_URL',
    'VAULT_FOLDER',
    'VAULT_THREADS',
    'VAULT_RESERVE',
    'VAULT_STORE',
    'VAULT_BUCKET_URL',
    'VAULT_BUCKET_NAME',
    'VAULT_BUCKET_REGION',
    'VAULT_BUCKET_KEY',
    'VAULT_BUCKET_SECRET',
    'TRUSTED_PROXIES',
  ],
  mail: [
    'MAIL_PORT',
    'MAIL_SMTP_PORT',
    'MAIL_INBOUND_PORT',
    'MAIL_URL',
    'MAIL_HOST',
    'MAIL_KEY',
    'MAIL_CONTROL_KEY',
    'MAIL_DATABASE_URL',
    'MAIL_FOLDER',
    'SMTP_URL',
    'MAIL_TLS_CERT',
    'MAIL_TLS_KEY',
    'TRUSTED_PROXIES',
  ],
  worker: [
    ...console,
    ...proxies,
    ...control,
    ...managed,
    'INCUS_SOCKET',
    'MAIL_FROM',
    'SMTP_URL',
    'EDGE_ADMIN',
    'EDGE_HTTP_PORT',
    'EDGE_HTTPS_PORT',
    'EDGE_ISSUER',
    'EDGE_EMAIL',
    'EDGE_ACME_URL',
    'EDGE_ACME_ROOTS',
    'DNS_SERVERS',
    'PUBLIC_PORTS',
    'HEALTH_SOCKET',
    'SANDBOX_SOCKET',
  ],
  broker: ['INCUS_SOCKET', 'INSTALLATION_ID', 'BROKER_FOLDER'],
} satisfies Record<string, string[]>

export type RoleName = keyof typeof envNamesByRole

export function selectProcessEnv(name: RoleName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = [...commonEnvNames, ...envNamesByRole[name]].filter((key) => env[key] !== undefined)
  const own = Object.fromEntries(names.map((key) => [key, env[key]]))
  return { ...own, ...(name === 'web' && withoutPassword(env)), BERTH_ROLE: name }
}

/**
 * Removes the user name and password from SMTP_URL. The web process only needs to know whether mail is configured,
 * because the worker sends it.
 */
function withoutPassword({ SMTP_URL: url }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!url) return {}
  return { SMTP_URL: URL.canParse(url) ? `smtp://${new URL(url).host}` : 'smtp://configured' }
}

export function processSpec(name: RoleName, build: string, env: NodeJS.ProcessEnv): ProcessSpec {
  return {
    name,
    argv: [process.execPath, ...heapLimitArgs(name), join(build, 'bin/role.js'), name],
    // Caches compiled code, which makes the next start half a second faster. Each process has a separate cache folder,
    // because a process that could write the compiled code of another process could control that process.
    env: {
      ...selectProcessEnv(name, env),
      NODE_COMPILE_CACHE: join(env.BERTH_HOME!, 'compiled', name),
      // Limits glibc's memory pools. Otherwise each thread that compresses data would permanently keep the maximum
      // memory that it has used.
      MALLOC_ARENA_MAX: '2',
      // Number of threads for file access. The vault waits for many files at the same time, for which Node's default of
      // 4 is too low.
      ...(name === 'vault' && { UV_THREADPOOL_SIZE: '16' }),
    },
    // The process finds the built pages relative to its working directory.
    cwd: build,
  }
}

/** @throws CliError that names the first port that cannot be used, and says why */
export async function assertPortsFree(ports: ProcessPorts, host: string): Promise<void> {
  for (const name of listeningPortNames) {
    const port = ports[name]
    if (port === 0) continue
    const error = await tryListenOnPort(port, host)
    if (!error) continue
    const variable = name === 'web' ? 'PORT' : `${name.toUpperCase()}_PORT`
    if (error.code === 'EADDRINUSE') {
      throw new CliError(
        `Port ${port} (${name}) is already in use. To see which program listens there: ss -ltnp 'sport = :${port}'. Stop it, or choose another: ${variable}=${port + 1000} ./berth up`
      )
    }
    throw new CliError(`Port ${port} (${name}) cannot be used: ${error.message}`)
  }
}

/** Returns the error of listening on the port, or undefined if the port is free. */
export function tryListenOnPort(
  port: number,
  host: string
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', (error) => done(error))
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(undefined)))
  })
}

export async function findFreePorts(): Promise<ProcessPorts> {
  const servers = await Promise.all(
    Array.from(
      { length: 7 },
      () =>
        new Promise<Server>((done, fail) => {
          const server = createServer().once('error', fail)
          server.listen(0, '127.0.0.1', () => done(server))
        })
    )
  )
  const [web, gateway, vault, mail, mail_smtp, mail_inbound, metrics] = servers.map(
    (server) => (server.address() as AddressInfo).port
  )
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return { web, gateway, vault, mail, mail_smtp, mail_inbound, metrics }
}
