import { BaseModel, column } from '@adonisjs/lucid/orm'

/** Something that somebody wants to remember. */
export default class Note extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare text: string
}
