import type { MemberRole } from '#core/contracts/actor'
import { Person } from '#identity/public'
import Account from '#accounts/models/account'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

export default class Invitation extends BaseModel {
  static table = 'member_invitations'

  @column({ isPrimary: true })
  declare id: string

  @column()
  declare accountId: number

  /** Email address in lower case. An account has at most one invitation per address. */
  @column()
  declare email: string

  @column()
  declare role: MemberRole

  @column()
  declare invitedBy: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare expiresAt: DateTime

  @belongsTo(() => Account)
  declare account: BelongsTo<typeof Account>

  @belongsTo(() => Person, { foreignKey: 'invitedBy' })
  declare inviter: BelongsTo<typeof Person>
}
