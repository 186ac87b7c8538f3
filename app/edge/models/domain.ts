import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export const domainStatuses = { pending: 'Pending', active: 'Active', failed: 'Failed' } as const

export type DomainStatus = keyof typeof domainStatuses

/** What a domain waits for, in this order; each is looked at once the one before is there. */
export const domainSteps = { dns: 'DNS', certificate: 'Certificate', answer: 'Answer' } as const

export type DomainStep = keyof typeof domainSteps

/** How an account showed that a name is its own; `kept`: served before that was asked for. */
export type DomainProofMethod = 'txt' | 'address' | 'kept'

/**
 * A domain name that an account wants to lead to one of its instances. Several accounts may want the
 * same one; who has proven that it is theirs holds it. Active once HTTPS answers.
 */
export default class Domain extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare serverInstanceId: number

  /** The account, as its instance has it. */
  @column()
  declare accountId: number

  @column()
  declare subdomain: string

  @column()
  declare status: DomainStatus

  /** What is missing, in words. */
  @column()
  declare statusReason: string | null

  /** Where it stands; null while it is active or was never looked at. */
  @column()
  declare step: DomainStep | null

  /** What the certificate authority or the edge said, letter for letter. */
  @column()
  declare details: string | null

  /** Where DNS says that it leads. */
  @column()
  declare seen: string | null

  @column()
  declare provenBy: DomainProofMethod | null

  @column.dateTime()
  declare provenAt: DateTime | null

  /** Whether the edge asks for a certificate. */
  @column()
  declare wantsCertificate: boolean

  /** Since when; a later time makes the edge ask anew. */
  @column.dateTime()
  declare certificateAskedAt: DateTime | null

  /** The end of the certificate that the edge has for it; null while it has none. */
  @column.dateTime()
  declare certificateUntil: DateTime | null

  /** When HTTPS last answered. */
  @column.dateTime()
  declare servedAt: DateTime | null

  /** How often it was looked at in vain. */
  @column()
  declare attempts: number

  @column.dateTime()
  declare checkedAt: DateTime | null

  /** When it is looked at next. */
  @column.dateTime()
  declare checkAt: DateTime

  /** The port inside the instance that answers. */
  @column()
  declare innerPort: number

  /** The port inside the instance that answers HTTPS requests of the edge by TLS; null if none does. */
  @column()
  declare tlsPort: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}
