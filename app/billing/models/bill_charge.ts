import { BaseModel, column } from '@adonisjs/lucid/orm'

/** A line of a bill; without a bill, what the next one takes up. */
export default class BillCharge extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare billId: number | null

  /** What it is for, always the same. */
  @column()
  declare source: string

  /** `server_instance`, `vault`. */
  @column()
  declare type: string

  /** What the thing was called then. */
  @column()
  declare name: string

  /** `Package bronze`, `Requests`, `Storage`. */
  @column()
  declare billType: string

  /** `month`, `year`; of use, the month. */
  @column()
  declare billingPeriod: string

  @column()
  declare quantity: string

  @column()
  declare unitPrice: string

  /** Dollars; below 0 for days that were paid and not used. */
  @column()
  declare cost: string
}
