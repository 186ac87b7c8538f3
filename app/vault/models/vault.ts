import { encryptedColumn } from '#core/encrypted_column'
import type { BodyStorageName } from '#packages/vault-service/types'
import type { VaultStatus } from '#vault/statuses'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

/** A customer's vault as the console knows it; what is in it knows the vault service alone. */
export default class Vault extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare name: string

  /** Its public name: in its addresses, and S3's bucket. */
  @column()
  declare key: string

  /** Staff's own decision; that its account is suspended does not change it. */
  @column()
  declare status: VaultStatus

  /** Why it is suspended, in words for its owner. */
  @column()
  declare statusReason: string | null

  @column(encryptedColumn)
  declare secretKey: string | null

  /** Requests by month, as the service told them last. */
  @column({ prepare: (value: unknown) => JSON.stringify(value ?? {}) })
  declare requestCount: Record<string, number>

  /** Bytes that it held then. */
  @column()
  declare bytes: number

  /** Objects that it held then. */
  @column()
  declare objects: number

  /** Where it is, as the service told it last. */
  @column()
  declare store: BodyStorageName

  /** Objects that are still elsewhere. */
  @column()
  declare toMove: number

  /** Objects whose bytes are damaged or missing. */
  @column()
  declare damaged: number

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @column.dateTime()
  declare deletedAt: DateTime | null

  /** All that are not deleted. */
  static live(options?: ModelAdapterOptions) {
    return Vault.query(options).whereNot('vaults.status', 'deleted')
  }
}
