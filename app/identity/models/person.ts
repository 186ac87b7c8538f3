import type { Audience, ColorScheme, StaffRole } from '#core/contracts/actor'
import hash from '@adonisjs/core/services/hash'
import { BaseModel, beforeSave, column } from '@adonisjs/lucid/orm'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'

export default class Person extends BaseModel {
  static table = 'people'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare audience: Audience

  @column()
  declare name: string

  /** Email address in lower case. Unique among customers and among staff. */
  @column()
  declare email: string

  @column()
  declare title: string | null

  /** `null` for customers. */
  @column()
  declare role: StaffRole | null

  /** Hash of the password. `null` until a password is chosen. */
  @column({ serializeAs: null })
  declare password: string | null

  /** Google's id of the person. `null` until they sign in with Google. */
  @column({ serializeAs: null })
  declare googleSubject: string | null

  @column()
  declare colorScheme: ColorScheme

  @column.dateTime()
  declare invitedAt: DateTime | null

  @column.dateTime()
  declare disabledAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @beforeSave()
  static async hashPassword(person: Person) {
    if (person.$dirty.password && person.password) {
      person.password = await hash.make(person.password)
    }
  }

  /** Ignores case. */
  static findByAddress(
    audience: Audience,
    email: string,
    trx?: TransactionClientContract
  ): Promise<Person | null> {
    return Person.query({ client: trx })
      .where('audience', audience)
      .whereRaw('lower(email) = lower(?)', [email])
      .first()
  }
}
