import { BaseModel, column } from '@adonisjs/lucid/orm'

/** An answer that staff can reuse. */
export default class SavedReply extends BaseModel {
  static table = 'support_replies'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare title: string

  @column()
  declare text: string
}
