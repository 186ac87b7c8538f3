import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ControlHandlers } from '../service/control_handler.js'
import type { ServiceDatabase } from '../service/database.js'
import type { SecretCipher } from '../service/secret_encryption.js'
import type { ControlApi } from './control/contract.js'
import type { DnsResolver } from './delivery/dns.js'

export interface OutgoingOptions {
  /**
   * Public host name of the service (MAIL_HOST), for EHLO, bounces, and the DKIM signature of senders without a
   * verified domain.
   */
  host?: string
  /** Relay for all outgoing mail (SMTP_URL), in nodemailer's format. */
  relayUrl?: string
  /** Port on which inbound mail arrives (MAIL_INBOUND_PORT). 0: any free port. Undefined: no inbound mail. */
  inboundPort?: number
  inboundHost?: string
  /** PEM texts for STARTTLS on the inbound port. Default: no STARTTLS. */
  tls?: { cert: string; key: string }
  /** MAIL_URL, the base URL of links in messages. */
  publicUrl: string
  folder: string
  /** MAIL_KEY, the key that signs tokens. */
  key: string
  /** Whether mail and webhooks may be sent to servers whose addresses are not public. For tests. Default false. */
  allowPrivate?: boolean
  names?: DnsResolver
  /** Port to which the service connects on recipients' mail servers. Default 25. */
  port?: number
  /** Maximum connections to one destination. Default 10. */
  connections?: number
  /** Seconds after which another process may send the messages that a crashed process had leased. Default 60. */
  lease?: number
  now?: () => Date
}

export interface OutgoingDeps {
  database: ServiceDatabase
  seal: SecretCipher
  options: OutgoingOptions
  log: (entry: object) => void
}

export type OutgoingHandlers = Pick<
  ControlHandlers<ControlApi>,
  | 'makeDomain'
  | 'domain'
  | 'changeDomain'
  | 'nextDkim'
  | 'switchDkim'
  | 'suppressions'
  | 'suppress'
  | 'unsuppress'
  | 'webhooks'
  | 'makeWebhook'
  | 'changeWebhook'
  | 'removeWebhook'
  | 'deliveries'
  | 'resendDelivery'
  | 'replies'
  | 'forgetReplies'
>

export interface OutgoingMailService {
  /** Looks for due mail immediately. Call it after new mail is committed. Frequent calls cost little. */
  wake(): void
  /** Waits a few seconds for running deliveries, then stops. Another process sends the remaining messages. */
  stop(): Promise<void>
  handlers: OutgoingHandlers
  /** Handles `/u/<token>` and `/o/<token>`. Returns false for other paths. */
  http(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>
  ways(): {
    out: 'relay' | 'direct' | 'none'
    problem: string | null
    replies: string | null
  }
  /** Undefined if inbound mail is disabled. */
  inboundPort?: number
}
