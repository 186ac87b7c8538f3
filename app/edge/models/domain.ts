import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export const domainStatuses = { pending: 'Pending', active: 'Active', failed: 'Failed' } as const

export type DomainStatus = keyof typeof domainStatuses

/**
 * Steps of a domain check, as pages name them. The check reports the first step that fails.
 * `answer`: the edge does not serve the domain, or the site does not respond.
 */
export const domainSteps = { dns: 'DNS', certificate: 'Certificate', answer: 'Answer' } as const

export type DomainStep = keyof typeof domainSteps

/** `kept`: the domain was served before Berth required proof of ownership. */
export type DomainProofMethod = 'txt' | 'address' | 'kept'

/**
 * A domain. Several accounts can claim a name, but only the account with proven ownership holds it.
 * The status is `active` once HTTPS works.
 */
export default class Domain extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare serverInstanceId: number

  @column()
  declare accountId: number

  /** Null: no project has the domain. It is only in the instance's domain list. */
  @column()
  declare projectId: number | null

  @column()
  declare subdomain: string

  @column()
  declare status: DomainStatus

  @column()
  declare statusReason: string | null

  /** Step at which the last check failed. Null: the domain is active or was never checked. */
  @column()
  declare step: DomainStep | null

  /** Original error message of the certificate authority, of Caddy or of the request to the site. */
  @column()
  declare details: string | null

  /** Addresses that DNS returned at the last check. */
  @column()
  declare seen: string | null

  @column()
  declare provenBy: DomainProofMethod | null

  @column.dateTime()
  declare provenAt: DateTime | null

  @column()
  declare wantsCertificate: boolean

  /**
   * Time of the latest certificate request. If it changes, the edge requests the certificate again.
   */
  @column.dateTime()
  declare certificateAskedAt: DateTime | null

  @column.dateTime()
  declare certificateUntil: DateTime | null

  /** Time at which HTTPS last worked. */
  @column.dateTime()
  declare servedAt: DateTime | null

  /** Number of consecutive failed checks. */
  @column()
  declare attempts: number

  @column.dateTime()
  declare checkedAt: DateTime | null

  @column.dateTime()
  declare checkAt: DateTime

  @column()
  declare innerPort: number

  @column()
  declare tlsPort: number | null

  /**
   * Primary domain of the same project. The edge redirects requests from this domain to it, once
   * HTTPS works there.
   */
  @column()
  declare redirectTo: string | null

  /** True: the edge serves HTTP requests instead of redirecting them to HTTPS. */
  @column()
  declare keepsHttp: boolean

  /**
   * Time at which the edge last answered 508, because a proxy in front of it connects by HTTP and
   * so causes a redirect loop.
   */
  @column.dateTime()
  declare proxyLoopAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}
