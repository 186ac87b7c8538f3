import { encryptedColumn } from '#core/encrypted_column'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** A key with which one instance signs in to one repository. */
export default class DeployKey extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare serverInstanceId: number

  /** Repository in the form `user@host:port/path` (`ssh_remote.ts`). */
  @column()
  declare remote: string

  /** Public key as a line of authorized_keys. */
  @column()
  declare publicKey: string

  /** Private key in OpenSSH format, without a passphrase. */
  @column(encryptedColumn)
  declare privateKey: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime
}
