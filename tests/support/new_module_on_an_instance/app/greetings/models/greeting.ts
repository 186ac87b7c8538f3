import type { GreetingStatus } from '#greetings/statuses'
import { ServerInstance } from '#instances/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** The text of the file `greeting.txt` in an instance. An instance has at most one greeting. */
export default class Greeting extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare serverInstanceId: number

  @column()
  declare text: string

  @column()
  declare status: GreetingStatus

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @belongsTo(() => ServerInstance)
  declare instance: BelongsTo<typeof ServerInstance>
}
