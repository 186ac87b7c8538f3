import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export const domainStatuses = { pending: 'Pending', active: 'Active', failed: 'Failed' } as const

export type DomainStatus = keyof typeof domainStatuses

/**
 * The parts that a domain needs to work. The check reports the first part that is missing. If the edge rejects its configuration
 * or cannot be reached, it reports `answer`.
 */
export const domainSteps = { dns: 'DNS', certificate: 'Certificate', answer: 'Answer' } as const

export type DomainStep = keyof typeof domainSteps

/** How an account proved that it owns a name. `kept`: served before ownership proofs existed. */
export type DomainProofMethod = 'txt' | 'address' | 'kept'

/**
 * A domain name that an account wants to point to one of its instances. Several accounts can claim
 * the same name, but only the account with proven ownership holds it. Active once HTTPS works.
 */
export default class Domain extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare serverInstanceId: number

  /** Account of the instance. */
  @column()
  declare accountId: number

  @column()
  declare subdomain: string

  @column()
  declare status: DomainStatus

  /** Why the domain does not work, as text for people. */
  @column()
  declare statusReason: string | null

  /** The failing step; null if the domain is active or was never checked. */
  @column()
  declare step: DomainStep | null

  /** Unchanged error message of the certificate authority or of Caddy. */
  @column()
  declare details: string | null

  /** Addresses that DNS returned at the last check. */
  @column()
  declare seen: string | null

  @column()
  declare provenBy: DomainProofMethod | null

  @column.dateTime()
  declare provenAt: DateTime | null

  /** Whether the edge requests a certificate. */
  @column()
  declare wantsCertificate: boolean

  /** Time of the certificate request. A later time makes the edge request again. */
  @column.dateTime()
  declare certificateAskedAt: DateTime | null

  /** Expiry of the domain's certificate; null if it has none. */
  @column.dateTime()
  declare certificateUntil: DateTime | null

  /** Time at which HTTPS last worked. */
  @column.dateTime()
  declare servedAt: DateTime | null

  /** Number of failed checks in a row. */
  @column()
  declare attempts: number

  @column.dateTime()
  declare checkedAt: DateTime | null

  /** Time of the next check. */
  @column.dateTime()
  declare checkAt: DateTime

  /** HTTP port inside the instance. */
  @column()
  declare innerPort: number

  /** Port inside the instance that accepts the edge's HTTPS requests; null if there is none. */
  @column()
  declare tlsPort: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}
