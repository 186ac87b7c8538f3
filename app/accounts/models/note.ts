import { Person } from '#identity/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** Only staff see notes; the account's members never do. */
export default class Note extends BaseModel {
  static table = 'account_notes'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare authorId: number | null

  @column()
  declare text: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @belongsTo(() => Person, { foreignKey: 'authorId' })
  declare author: BelongsTo<typeof Person>
}
