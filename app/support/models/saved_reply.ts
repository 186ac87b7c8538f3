import { BaseModel, column } from '@adonisjs/lucid/orm'

/** A reply that staff can insert into their messages. */
export default class SavedReply extends BaseModel {
  static table = 'support_replies'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare title: string

  @column()
  declare text: string
}
