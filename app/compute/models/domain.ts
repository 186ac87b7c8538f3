import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export const domainStatuses = { pending: 'Pending', active: 'Active', failed: 'Failed' } as const

export type DomainStatus = keyof typeof domainStatuses

/** A domain name that leads to a shared instance; active once the edge serves it. */
export default class Domain extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare serverInstanceId: number

  @column()
  declare subdomain: string

  @column()
  declare status: DomainStatus

  @column()
  declare statusReason: string | null

  /** The end of the certificate that the edge has for it; null while it has none. */
  @column.dateTime()
  declare certificateUntil: DateTime | null

  /** The port inside the instance that answers. */
  @column()
  declare innerPort: number

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}
