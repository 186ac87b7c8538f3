import { BaseModel, column } from '@adonisjs/lucid/orm'

/** Something that a customer wants to remember. */
export default class Note extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare customerId: number

  @column()
  declare text: string
}
