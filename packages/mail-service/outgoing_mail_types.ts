import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ControlHandlers } from '../service/control_handler.js'
import type { ServiceDatabase } from '../service/database.js'
import type { SecretCipher } from '../service/secret_encryption.js'
import type { ControlApi } from './control/contract.js'
import type { DnsResolver } from './delivery/dns.js'

/** How mail leaves and comes back. */
export interface OutgoingOptions {
  /** Our name in the world (MAIL_HOST): said at EHLO, signs for senders without a domain, takes bounces. */
  host?: string
  /** Everything goes through this server (SMTP_URL), as nodemailer reads it. */
  relayUrl?: string
  /** Where bounces and complaints are taken (MAIL_INBOUND_PORT); 0 takes any, undefined none. */
  inboundPort?: number
  inboundHost?: string
  /** PEM texts for STARTTLS there; none without them. */
  tls?: { cert: string; key: string }
  /** Where people reach this service (MAIL_URL). */
  publicUrl: string
  /** A folder of our own. */
  folder: string
  /** MAIL_KEY: what tokens are made of. */
  key: string
  /** Tests only. Without it private, link-local and metadata addresses are refused. */
  allowPrivate?: boolean
  /** Other look-ups than the system's. */
  names?: DnsResolver
  /** Of recipients' servers; 25. */
  port?: number
  /** Connections to the servers of one destination at most; 10. */
  connections?: number
  /** Seconds after which a row of a process that has died is somebody else's; 60. */
  lease?: number
  now?: () => Date
}

export interface OutgoingDeps {
  database: ServiceDatabase
  seal: SecretCipher
  options: OutgoingOptions
  log: (entry: object) => void
}

/** The part of the contract that is answered here. */
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

/** Brings accepted mail out, and takes what comes back. */
export interface OutgoingMailService {
  /** There is something to send; to be called after the commit. Costs nothing when called often. */
  wake(): void
  /** Waits for what is under way, for seconds at most; the rest is sent again by whoever comes next. */
  stop(): Promise<void>
  handlers: OutgoingHandlers
  /** Answers `/u/<token>` and `/o/<token>`; false: not ours. */
  http(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>
  ways(): {
    out: 'relay' | 'direct' | 'none'
    problem: string | null
    /** Where answers to the product's own mails go. */
    replies: string | null
  }
  /** Where bounces are taken; undefined where they are not. */
  inboundPort?: number
}
