import type { FileKind } from '#support/file_types'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** An uploaded file. It belongs to a conversation once a message contains it. */
export default class Attachment extends BaseModel {
  static table = 'support_files'
  static selfAssignPrimaryKey = true

  /** UUID, also part of the object's name in Berth's own bucket. */
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

  /** File name on the sender's device. Berth never uses it as a path. */
  @column()
  declare name: string

  @column()
  declare extension: string

  @column()
  declare bytes: number

  @column.dateTime()
  declare createdAt: DateTime

  /** Path of the file, as messages contain it (docs/product.md, "Live support"). */
  get path() {
    return `chat-file/${this.id}.${this.extension}`
  }
}
