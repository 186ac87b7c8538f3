import type { FileKind } from '#support/file_types'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** An uploaded file. It belongs to a conversation once a message contains it. */
export default class Attachment extends BaseModel {
  static table = 'support_files'
  static selfAssignPrimaryKey = true

  /** UUID, which is also part of its name in Berth's own bucket. */
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

  /** File name from the sender: text, never used as a path. */
  @column()
  declare name: string

  @column()
  declare extension: string

  @column()
  declare bytes: number

  @column.dateTime()
  declare createdAt: DateTime

  /**
   * The path by which messages refer to the file (product, "Live support": comma-separated paths).
   */
  get path() {
    return `chat-file/${this.id}.${this.extension}`
  }
}
