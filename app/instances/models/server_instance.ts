import {
  type BillingPeriod,
  getCurrentPackageVersion,
  type InstanceType,
  PackageVersion,
  ServerPackage,
} from '#catalog/public'
import { encryptedColumn } from '#core/encrypted_column'
import { HostInstance } from '#hosts/public'
import type { RuntimeLimits } from '#instances/runtime_limits'
import { BaseModel, beforeCreate, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'

export const instanceStatuses = {
  pending: 'Pending',
  active: 'Active',
  stopped: 'Stopped',
  suspended: 'Suspended',
  failed: 'Failed',
  deleted: 'Deleted',
} as const

export type InstanceStatus = keyof typeof instanceStatuses

/** A customer's server: an Incus container of its own. */
export default class ServerInstance extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare hostInstanceId: number | null

  @column()
  declare serverPackageId: number

  /** What it was sold as: it keeps these specifications and prices until it is resized. */
  @column()
  declare packageVersionId: number

  @column()
  declare name: string

  @column()
  declare instanceType: InstanceType

  @column()
  declare status: InstanceStatus

  /** Why it failed or was suspended, in words. */
  @column()
  declare statusReason: string | null

  /** What it was when its account was suspended; null unless it was suspended with that. */
  @column()
  declare heldFrom: 'active' | 'stopped' | null

  @column()
  declare billingPeriod: BillingPeriod

  /** The address that customers connect to. */
  @column()
  declare ip: string | null

  /** Its name in Incus. */
  @column()
  declare systemId: string | null

  /** Its address on the host's bridge. */
  @column()
  declare privateIp: string | null

  @column()
  declare username: string | null

  /** The private key made for this instance (OpenSSH). */
  @column(encryptedColumn)
  declare sshKey: string | null

  @column({ serializeAs: null })
  declare sshPublicKey: string | null

  /** The pinned host key, `type base64`. */
  @column({ serializeAs: null })
  declare hostKey: string | null

  /** Name of a port to the host's port that leads to it, e.g. `{ ssh: 20001 }`. */
  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare ports: Record<string, number>

  /** What it was allocated when it was ordered or resized, whatever becomes of its package. */
  @column({ consume: Number })
  declare vcpu: number

  @column()
  declare memoryBytes: number

  @column()
  declare diskBytes: number

  /** Only where its package named a number (`listProcesses`). */
  @column()
  declare processes: number | null

  /** Bytes that it wrote itself, without its image, when it was measured last; null is not known. */
  @column()
  declare diskUsed: number | null

  @column()
  declare boostMode: boolean

  @column.dateTime()
  declare boostedUntil: DateTime | null

  @column.dateTime()
  declare boostAvailableAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  /** Deleting it has begun: nothing else is done with it from then on. */
  @column.dateTime()
  declare deletionAskedAt: DateTime | null

  @column.dateTime()
  declare deletedAt: DateTime | null

  /** What Incus holds it to while it runs. */
  get limits(): RuntimeLimits {
    return { vcpu: this.vcpu, memory: this.memoryBytes, processes: this.processes }
  }

  @belongsTo(() => HostInstance)
  declare host: BelongsTo<typeof HostInstance>

  @belongsTo(() => ServerPackage)
  declare package: BelongsTo<typeof ServerPackage>

  @belongsTo(() => PackageVersion)
  declare packageVersion: BelongsTo<typeof PackageVersion>

  /** All that are not deleted: where a question begins, unless it is about deleted ones too (`query`). */
  static live(options?: ModelAdapterOptions) {
    return ServerInstance.query(options).whereNot('status', 'deleted')
  }

  /** Where nothing else was agreed, what its package is sold as now. */
  @beforeCreate()
  static async agree(row: ServerInstance) {
    const options = { client: row.$trx, connection: row.$options?.connection }
    row.packageVersionId ??= (await getCurrentPackageVersion(row.serverPackageId, options)).id
  }
}
