import type { DnsRecordCheck } from '#mail/dns_records'
import type { MailDomainStatus } from '#mail/statuses'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

export default class MailDomain extends BaseModel {
  static table = 'mail_domains'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare domain: string

  @column()
  declare status: MailDomainStatus

  @column({ prepare: (value: unknown) => JSON.stringify(value ?? []) })
  declare findings: DnsRecordCheck[]

  @column.dateTime()
  declare checkedAt: DateTime | null

  /** Time since which the DNS records of a formerly active domain are wrong. */
  @column.dateTime()
  declare failingSince: DateTime | null

  @column.dateTime()
  declare activeAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @column.dateTime()
  declare deletedAt: DateTime | null

  static live(options?: ModelAdapterOptions) {
    return MailDomain.query(options).whereNot('mail_domains.status', 'deleted')
  }
}
