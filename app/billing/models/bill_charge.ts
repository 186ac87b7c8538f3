import { BaseModel, column } from '@adonisjs/lucid/orm'

/** Without a bill, a charge waits for the next billing run. */
export default class BillCharge extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare billId: number | null

  /** Text that identifies the cause. It is unique, so that nothing is charged twice. */
  @column()
  declare source: string

  @column()
  declare type: string

  @column()
  declare name: string

  /**
   * For a subscription the package's name (`Bronze 4`). For usage `Requests`, `Bandwidth`,
   * `Storage` or `Mails`. Either may have an addition such as `, not used`. For account credit its
   * reason.
   */
  @column()
  declare billType: string

  /** `month` or `year` for a subscription. For usage the month: `2026-10`. For account credit its bill or transfer. */
  @column()
  declare billingPeriod: string

  @column()
  declare quantity: string

  @column()
  declare unitPrice: string

  /** Dollars. Negative for a credit, for example for paid days that were not used. */
  @column()
  declare cost: string
}
