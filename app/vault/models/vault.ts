import { encryptedColumn } from '#core/encrypted_column'
import type { BodyStorageName } from '#packages/vault-service/types'
import type { VaultStatus } from '#vault/statuses'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

export default class Vault extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare name: string

  /** Used in URLs, and as the S3 bucket name. */
  @column()
  declare key: string

  /** `suspended`: by staff. A suspension of the account does not change this column. */
  @column()
  declare status: VaultStatus

  @column()
  declare statusReason: string | null

  @column(encryptedColumn)
  declare secretKey: string | null

  /**
   * Number of requests by month. This column and those up to `damaged` have the values that the vault service reported
   * last. A move to another store sets `store` and `toMove` before that.
   */
  @column({ prepare: (value: unknown) => JSON.stringify(value ?? {}) })
  declare requestCount: Record<string, number>

  @column()
  declare bytes: number

  @column()
  declare objects: number

  @column()
  declare store: BodyStorageName

  @column()
  declare toMove: number

  @column()
  declare damaged: number

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @column.dateTime()
  declare deletedAt: DateTime | null

  static live(options?: ModelAdapterOptions) {
    return Vault.query(options).whereNot('vaults.status', 'deleted')
  }
}
