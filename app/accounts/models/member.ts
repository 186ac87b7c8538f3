import type { MemberRole } from '#core/contracts/actor'
import { Person } from '#identity/public'
import Account from '#accounts/models/account'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

export default class Member extends BaseModel {
  @column({ isPrimary: true })
  declare accountId: number

  @column({ isPrimary: true })
  declare personId: number

  @column()
  declare role: MemberRole

  @column()
  declare defaultInstanceId: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @belongsTo(() => Account)
  declare account: BelongsTo<typeof Account>

  @belongsTo(() => Person)
  declare person: BelongsTo<typeof Person>
}
