import type { Specifications } from '#compute/models/host_instance'
import { BaseModel, column } from '@adonisjs/lucid/orm'

export type InstanceType = 'regular' | 'shared'
export type BillingPeriod = 'month' | 'year'

export interface Price {
  period: BillingPeriod
  /** US dollars, exact decimals. */
  price: string
  renew: string
  billing_cycle: number
}

/** What can be ordered: bronze, silver, gold, each regular or shared. */
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
  declare pricing: Price[]

  @column()
  declare offered: boolean

  @column()
  declare position: number
}
