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

export default class ServerInstance extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare hostInstanceId: number | null

  @column()
  declare serverPackageId: number

  /** The package version that was ordered. The instance keeps its specifications and prices until a resize. */
  @column()
  declare packageVersionId: number

  @column()
  declare name: string

  @column()
  declare instanceType: InstanceType

  @column()
  declare status: InstanceStatus

  /** Written for customers and staff. */
  @column()
  declare statusReason: string | null

  /** The status before the instance was suspended with its account. */
  @column()
  declare heldFrom: 'active' | 'stopped' | null

  @column()
  declare billingPeriod: BillingPeriod

  /** Public address that customers connect to. */
  @column()
  declare ip: string | null

  /** Name of the container in Incus. */
  @column()
  declare systemId: string | null

  /** Address on the host's bridge. */
  @column()
  declare privateIp: string | null

  @column()
  declare username: string | null

  @column(encryptedColumn)
  declare sshKey: string | null

  @column({ serializeAs: null })
  declare sshPublicKey: string | null

  /** Pinned SSH host key, as `type base64`. */
  @column({ serializeAs: null })
  declare hostKey: string | null

  /** Forwarded ports of the host by port name: `{ ssh: 20001 }`. */
  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare ports: Record<string, number>

  /** Set at the order or the last resize, independent of later changes of the package. */
  @column({ consume: Number })
  declare vcpu: number

  @column()
  declare memoryBytes: number

  /** The quota of the root disk. Includes `imageBytes`. */
  @column()
  declare diskBytes: number

  @column()
  declare imageBytes: number

  /** Null: the default of `maxProcesses`. */
  @column()
  declare processes: number | null

  /** Disk use at the last measurement in bytes, without the image. */
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

  /** Time of the deletion request. After it, only a failed deletion can be repeated. */
  @column.dateTime()
  declare deletionAskedAt: DateTime | null

  @column.dateTime()
  declare deletedAt: DateTime | null

  /** Limits that Incus enforces while no boost is running. */
  get limits(): RuntimeLimits {
    return { vcpu: this.vcpu, memory: this.memoryBytes, processes: this.processes }
  }

  @belongsTo(() => HostInstance)
  declare host: BelongsTo<typeof HostInstance>

  @belongsTo(() => ServerPackage)
  declare package: BelongsTo<typeof ServerPackage>

  @belongsTo(() => PackageVersion)
  declare packageVersion: BelongsTo<typeof PackageVersion>

  /** Queries instances that are not deleted. */
  static live(options?: ModelAdapterOptions) {
    return ServerInstance.query(options).whereNot('status', 'deleted')
  }

  /** Sets the package's current version if the order names none. */
  @beforeCreate()
  static async agree(row: ServerInstance) {
    const options = { client: row.$trx, connection: row.$options?.connection }
    row.packageVersionId ??= (await getCurrentPackageVersion(row.serverPackageId, options)).id
  }
}
