import { Person } from '#identity/public'
import type { ConversationStatus } from '#support/statuses'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** The conversation of one customer. Its id is the customer's id. */
export default class Conversation extends BaseModel {
  static table = 'support_conversations'

  @column({ isPrimary: true })
  declare clientId: number

  @column()
  declare status: ConversationStatus

  @column()
  declare assignedTo: number | null

  @column()
  declare lastSequence: number

  @column()
  declare clientRead: number

  @column()
  declare staffRead: number

  @column()
  declare mailed: number

  /** Time of the first message that staff have not answered yet. */
  @column.dateTime()
  declare waitingSince: DateTime | null

  @column.dateTime()
  declare lastAt: DateTime

  @column.dateTime()
  declare createdAt: DateTime

  @belongsTo(() => Person, { foreignKey: 'clientId' })
  declare client: BelongsTo<typeof Person>

  @belongsTo(() => Person, { foreignKey: 'assignedTo' })
  declare assignee: BelongsTo<typeof Person>
}
