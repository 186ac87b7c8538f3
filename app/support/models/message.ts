import { Person } from '#identity/public'
import type { ContextLink } from '#support/queries/context_link'
import type { FileKind } from '#support/file_types'
import Attachment from '#support/models/attachment'
import type { ConversationSide } from '#support/statuses'
import { BaseModel, belongsTo, column, hasMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** A message of a conversation. Queries order messages by `sequence`, never by time. */
export default class Message extends BaseModel {
  static table = 'support_messages'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare clientId: number

  @column()
  declare sequence: number

  @column()
  declare senderId: number | null

  @column()
  declare side: ConversationSide

  /** Idempotency key that the sender's browser chose. */
  @column()
  declare key: string

  @column()
  declare text: string

  @column()
  declare fileType: FileKind | null

  @column()
  declare page: string | null

  @column()
  declare about: Pick<ContextLink, 'name' | 'status'> | null

  /** For a reply of staff: seconds that the customer waited for it. */
  @column()
  declare waited: number | null

  @column.dateTime()
  declare createdAt: DateTime

  @belongsTo(() => Person, { foreignKey: 'senderId' })
  declare sender: BelongsTo<typeof Person>

  @hasMany(() => Attachment, {
    foreignKey: 'messageId',
    onQuery: (query) => void (query.isRelatedQuery && query.orderBy('place')),
  })
  declare attachments: HasMany<typeof Attachment>
}
