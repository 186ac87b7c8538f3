import { Person } from '#identity/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

export default class Note extends BaseModel {
  static table = 'support_notes'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare clientId: number

  @column()
  declare authorId: number | null

  @column()
  declare text: string

  @column.dateTime()
  declare createdAt: DateTime

  @belongsTo(() => Person, { foreignKey: 'authorId' })
  declare author: BelongsTo<typeof Person>
}
