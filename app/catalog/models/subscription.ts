import PackageVersion from '#catalog/models/package_version'
import type { BillingPeriod } from '#catalog/models/server_package'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

export type SubscriptionSubjectType = 'server_instance'

export interface SubscriptionSubject {
  type: SubscriptionSubjectType
  id: number
}

export type EndReason = 'resized' | 'deleted'

/**
 * An account's subscription to a package version for a resource. A change of version ends this row and adds another
 * (decision 0017), so that past rows stay true.
 */
export default class Subscription extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare subjectType: SubscriptionSubjectType

  @column()
  declare subjectId: number

  @column()
  declare packageVersionId: number

  @column()
  declare period: BillingPeriod

  /** Price of the first period; US dollars, exact decimals. */
  @column()
  declare price: string

  @column()
  declare renewalPrice: string

  @column.dateTime()
  declare startedAt: DateTime

  /** Start of the first order. Billing periods are counted from this time, also after a resize. */
  @column.dateTime()
  declare anchoredAt: DateTime

  @column.dateTime()
  declare renewsAt: DateTime

  @column.dateTime()
  declare endedAt: DateTime | null

  @column()
  declare endReason: EndReason | null

  @belongsTo(() => PackageVersion)
  declare packageVersion: BelongsTo<typeof PackageVersion>
}
