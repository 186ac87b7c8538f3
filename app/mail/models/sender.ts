import { encryptedColumn } from '#core/encrypted_column'
import type { SenderStatus } from '#mail/statuses'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

export default class Sender extends BaseModel {
  static table = 'mail_senders'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  /** Email address in lower case. */
  @column()
  declare email: string

  @column()
  declare status: SenderStatus

  /** Reason of a suspension, shown to the customer. */
  @column()
  declare statusReason: string | null

  @column(encryptedColumn)
  declare secretKey: string | null

  @column.dateTime()
  declare verifiedAt: DateTime | null

  @column()
  declare verifiedBy: 'link' | 'domain' | null

  /** SHA-256 of the token in the verification link. */
  @column({ serializeAs: null })
  declare tokenDigest: string | null

  @column.dateTime()
  declare tokenExpiresAt: DateTime | null

  @column.dateTime()
  declare linkSentAt: DateTime | null

  /** Number of accepted messages by month, as of the last sync with the mail service. */
  @column({ prepare: (value: unknown) => JSON.stringify(value ?? {}) })
  declare sentMailCount: Record<string, number>

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @column.dateTime()
  declare deletedAt: DateTime | null

  static live(options?: ModelAdapterOptions) {
    return Sender.query(options).whereNot('mail_senders.status', 'deleted')
  }

  get domain(): string {
    return this.email.slice(this.email.lastIndexOf('@') + 1)
  }
}
