import { BaseModel, column } from '@adonisjs/lucid/orm'

/** A charge. Without a bill, it waits for the next one. */
export default class BillCharge extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare billId: number | null

  /** Unique, so that nothing is charged twice. */
  @column()
  declare source: string

  @column()
  declare type: string

  @column()
  declare name: string

  /**
   * The package's name (`Bronze 4`), or `Requests`, `Bandwidth`, `Storage`, `Mails`, with an optional
   * addition such as `, not used`.
   */
  @column()
  declare billType: string

  /** `month` or `year`. Usage has the month: `2026-10`. */
  @column()
  declare billingPeriod: string

  @column()
  declare quantity: string

  @column()
  declare unitPrice: string

  /** Dollars. Negative for paid days that were not used. */
  @column()
  declare cost: string
}
