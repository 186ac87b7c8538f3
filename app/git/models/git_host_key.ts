import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** A git server's key that a member of the account has confirmed. */
export default class GitHostKey extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  /** Host name in lower case. An IPv6 address has no brackets. */
  @column()
  declare host: string

  @column()
  declare port: number

  /** For example `ssh-ed25519`. */
  @column()
  declare type: string

  /** Base64, as in known_hosts. */
  @column()
  declare key: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime
}
