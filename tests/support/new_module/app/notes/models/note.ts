import { BaseModel, column } from '@adonisjs/lucid/orm'

/** A note of a customer account. */
export default class Note extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare text: string
}
