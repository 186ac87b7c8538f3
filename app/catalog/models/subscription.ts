import PackageVersion from '#catalog/models/package_version'
import type { BillingPeriod } from '#catalog/models/server_package'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** What is sold by time. */
export type SubscriptionSubjectType = 'server_instance'

/** A thing that is sold by time, as operations and the audit log name it. */
export interface SubscriptionSubject {
  type: SubscriptionSubjectType
  id: number
}

export type EndReason = 'resized' | 'deleted'

/**
 * What an account pays for by time: one version of a package, for one thing, from a moment to
 * another. Another version is another row (decision 0017), so that a row is never what it was not.
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

  /** The price agreed for the first period; US dollars, exact decimals. */
  @column()
  declare price: string

  /** The price agreed for each later period. */
  @column()
  declare renewalPrice: string

  @column.dateTime()
  declare startedAt: DateTime

  /** From when periods are counted: the order, however often it was resized since. */
  @column.dateTime()
  declare anchoredAt: DateTime

  /** When the next period begins. */
  @column.dateTime()
  declare renewsAt: DateTime

  @column.dateTime()
  declare endedAt: DateTime | null

  @column()
  declare endReason: EndReason | null

  @belongsTo(() => PackageVersion)
  declare packageVersion: BelongsTo<typeof PackageVersion>
}
