import PackageVersion from '#catalog/models/package_version'
import { listResourceAndPriceChanges, type ResourcesAndPrices } from '#catalog/resources_and_prices'
import { afterCreate, BaseModel, beforeCreate, beforeUpdate, column } from '@adonisjs/lucid/orm'

export type InstanceType = 'regular' | 'shared'
export type BillingPeriod = 'month' | 'year'

/** Resources of a package, in the units that pages show: `{ value: 4, unit: 'GB' }`. */
export interface Specifications {
  vcpu: { value: number }
  ram: { value: number; unit: 'GB' | 'MB' }
  storage: { value: number; unit: 'GB' | 'TB'; type: string }
  bandwidth: { value: number; unit: 'GB' | 'TB' }
  /** Maximum number of processes and threads. By default, it depends on the memory. */
  processes?: { value: number }
  /** Whether backups of the installation include the package's instances (docs/decisions/0048). */
  backups?: { value: 'daily' }
}

export interface PackagePrice {
  period: BillingPeriod
  /** US dollars, exact decimals. */
  price: string
  renew: string
  billing_cycle: number
}

/** A package (plan) with the resources and prices now on sale. */
export default class ServerPackage extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare instanceType: InstanceType

  @column()
  declare serverSeries: 'bronze' | 'silver' | 'gold'

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare specifications: Specifications

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare pricing: PackagePrice[]

  @column()
  declare offered: boolean

  @column()
  declare position: number

  @column()
  declare version: number

  /** The person who edited the package. Saving the row stores it in the new version. */
  declare editedBy?: number

  @beforeCreate()
  static begin(row: ServerPackage) {
    row.version = 1
  }

  @afterCreate()
  static keepFirst(row: ServerPackage) {
    return keepVersion(row)
  }

  @beforeUpdate()
  static async keepNext(row: ServerPackage) {
    if (listResourceAndPriceChanges(row.$original as ResourcesAndPrices, row).length === 0) return
    row.version++
    await keepVersion(row)
  }
}

async function keepVersion(row: ServerPackage): Promise<void> {
  const { id, version: number, specifications, pricing, editedBy: createdBy = null } = row
  await PackageVersion.create(
    { serverPackageId: id, number, specifications, pricing, createdBy },
    { client: row.$trx, connection: row.$options?.connection }
  )
}
