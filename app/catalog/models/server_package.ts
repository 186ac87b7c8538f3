import { BaseModel, column } from '@adonisjs/lucid/orm'

export type InstanceType = 'regular' | 'shared'
export type BillingPeriod = 'month' | 'year'

/** Amounts as pages show them: `{ value: 4, unit: 'GB' }`. */
export interface Specifications {
  vcpu: { value: number }
  ram: { value: number; unit: 'GB' | 'MB' }
  storage: { value: number; unit: 'GB' | 'TB'; type: string }
  bandwidth: { value: number; unit: 'GB' | 'TB' }
  /** Processes and threads at once; follows the memory where it is not named. */
  processes?: { value: number }
}

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
