import type { PackagePrice, Specifications } from '#catalog/models/server_package'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/**
 * A version of a package's (plan's) specifications and prices. Versions never change, because buyers keep theirs
 * (decision 0017).
 */
export default class PackageVersion extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare serverPackageId: number

  @column()
  declare number: number

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare specifications: Specifications

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare pricing: PackagePrice[]

  /** `null`: Berth itself. */
  @column()
  declare createdBy: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}
