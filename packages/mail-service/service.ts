import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTrustedProxyCheck } from '#packages/proxies/trusted_proxies'
import { ServiceDatabase } from '#packages/service/database'
import { createGracefulClose } from '#packages/service/graceful_handover'
import { createReadinessCheck } from '#packages/service/readiness'
import { SecretCipher } from '#packages/service/secret_encryption'
import {
  SUBMISSION_WRITER_DATABASE_SETTINGS,
  SubmissionWriter,
} from './accept/submission_writer.js'
import { mailControlHandler } from './control/server.js'
import { startOutgoingMail } from './delivery/main.js'
import { MemoryBudget } from './http/memory_budget.js'
import { createMailHttpServer } from './http/server.js'
import { MAX_BYTES_IN_FLIGHT } from './limits.js'
import type { OutgoingMailService, OutgoingOptions } from './outgoing_mail_types.js'
import { SenderAuthenticator } from './sender_authenticator.js'
import { startSmtpSubmissionServer } from './smtp/server.js'
import { loadOrCreateCertificate } from './tls.js'

export interface MailServiceOptions {
  /** IP address on which HTTP, SMTP submission and inbound mail listen. */
  host: string
  /** Port for HTTP. 0: any free port. */
  port: number
  smtpPort: number
  /** Undefined: no inbound mail. */
  inboundPort?: number
  databaseUrl: string
  /** MAIL_KEY, which encrypts stored secrets and signs the tokens in links. */
  key: string
  controlKey: string
  folder: string
  /** Names of migrations that must have run before the service reports that it is ready. */
  migrations?: string[]
  /** Public host name of the service. If neither a host name nor a relay is set, no mail can be sent. */
  mailHost?: string
  publicUrl?: string
  relayUrl?: string
  /** Proxies on other machines whose `X-Forwarded-For` is trusted (TRUSTED_PROXIES). */
  trustedProxies?: string
  /** Paths of PEM files for STARTTLS. Default: a self-signed certificate. */
  tlsCert?: string
  tlsKey?: string
  /** For tests. */
  outgoing?: Partial<OutgoingOptions>
  log?: (entry: object) => void
}

export interface MailService {
  port: number
  smtpPort: number
  inboundPort?: number
  outgoing: OutgoingMailService
  healthy(): Promise<boolean>
  /** @param timeoutMs time that running requests get to finish. Default: 5 s for HTTP, 2 s for SMTP submission */
  stop(timeoutMs?: number): Promise<void>
}

/** Accepts mail by HTTP and SMTP, delivers it, and receives bounces and replies. */
export async function startMailService(options: MailServiceOptions): Promise<MailService> {
  const { host, mailHost, key, log = () => {} } = options
  const publicUrl = (
    options.publicUrl ?? `http://${mailHost ?? 'localhost'}:${options.port}`
  ).replace(/\/$/, '')
  const database = new ServiceDatabase('berth-mail', options.databaseUrl, 10)
  // A separate connection pool, so that committing messages never waits for other queries.
  const accepting = new ServiceDatabase(
    'berth-mail-accept',
    options.databaseUrl,
    2,
    SUBMISSION_WRITER_DATABASE_SETTINGS
  )
  const seal = new SecretCipher('berth mail', key)
  const tls = await loadOrCreateCertificate(options, log)
  const outgoing = await startOutgoingMail({
    database,
    seal,
    log,
    options: {
      host: mailHost,
      relayUrl: options.relayUrl,
      inboundPort: options.inboundPort,
      inboundHost: host,
      tls,
      publicUrl,
      folder: options.folder,
      key,
      ...options.outgoing,
    },
  })
  const senders = new SenderAuthenticator(database)
  const commits = new SubmissionWriter(accepting, () => outgoing.wake())
  const budget = new MemoryBudget(MAX_BYTES_IN_FLIGHT)
  const submission = await startSmtpSubmissionServer(
    { senders, commits, budget, tls, host: mailHost, log },
    host,
    options.smtpPort
  )
  const composing = {
    key,
    publicUrl,
    host: mailHost,
    ...(options.inboundPort !== undefined && mailHost && { inbound: mailHost }),
  }
  const healthy = () =>
    database.rows('select 1').then(
      () => true,
      () => false
    )
  const server = createMailHttpServer({
    senders,
    commits,
    budget,
    isProxy: createTrustedProxyCheck(options.trustedProxies),
    composing,
    outgoing,
    log,
    control: mailControlHandler({
      database,
      seal,
      senders,
      commits,
      outgoing,
      composing,
      key: options.controlKey,
      submission: { host: mailHost ?? new URL(publicUrl).hostname, port: submission.port },
    }),
    readiness: createReadinessCheck(database, 'mail', options.migrations ?? []),
  })
  const leave = createGracefulClose(server)
  server.listen({ port: options.port, host, reusePort: true })
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    smtpPort: submission.port,
    outgoing,
    inboundPort: outgoing.inboundPort,
    healthy,
    async stop(timeoutMs) {
      await Promise.all([
        timeoutMs ? leave({ timeoutMs }) : end(server),
        submission.stop(timeoutMs),
      ])
      await commits.idle()
      await outgoing.stop()
      await Promise.all([database.close(), accepting.close()])
    },
  }
}

/** Closes a server: idle connections immediately, all others after at most 5 seconds. */
async function end(server: Server): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), 5_000)
  await closed
  clearTimeout(timer)
}
