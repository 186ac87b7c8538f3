import type { FileKind } from '#support/file_types'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** A file that somebody sent up; it belongs to the conversation once a message has it. */
export default class Attachment extends BaseModel {
  static table = 'support_files'
  static selfAssignPrimaryKey = true

  /** A UUID, as which the house's vault has it. */
  @column({ isPrimary: true })
  declare id: string

  @column()
  declare uploaderId: number

  @column()
  declare messageId: number | null

  @column()
  declare place: number | null

  @column()
  declare kind: FileKind

  /** What the sender calls it: text, never a path. */
  @column()
  declare name: string

  @column()
  declare extension: string

  @column()
  declare bytes: number

  @column.dateTime()
  declare createdAt: DateTime

  /** What messages name it by (product, "Live support": comma-separated paths). */
  get path() {
    return `chat-file/${this.id}.${this.extension}`
  }
}
