import type { Specifications } from '#catalog/public'
import type { ContainmentReport } from '#hosts/containment/self_test'
import { localMachineId } from '#core/local_host'
import { encryptedColumn } from '#core/encrypted_column'
import { BaseModel, beforeCreate, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'

export const hostStatuses = {
  pending: 'Pending',
  active: 'Active',
  maintenance: 'Maintenance',
  offline: 'Offline',
  deleted: 'Deleted',
} as const

export type HostStatus = keyof typeof hostStatuses

/** A machine that runs Incus (product, "Machines"). */
export default class HostInstance extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare ip: string

  @column()
  declare status: HostStatus

  /** Why it is offline or pending, in words. */
  @column()
  declare statusReason: string | null

  @column()
  declare provider: string

  /** The control machine that keeps it: the one that it is, or whose console added it. */
  @column()
  declare machineId: string

  /** It is that machine itself; reached by the Incus socket. */
  @column()
  declare isLocal: boolean

  /** The server's name in its Incus (the member of a cluster). */
  @column()
  declare systemId: string | null

  @column()
  declare incusUrl: string | null

  /** PEM, pinned when the host was added. */
  @column({ serializeAs: null })
  declare incusCertificate: string | null

  @column({ serializeAs: null })
  declare clientCertificate: string | null

  @column(encryptedColumn)
  declare clientKey: string | null

  @column()
  declare username: string | null

  @column()
  declare sshPort: number

  /** Private key (OpenSSH). */
  @column(encryptedColumn)
  declare sshKey: string | null

  /** The pinned host key, `type base64`. */
  @column({ serializeAs: null })
  declare hostKey: string | null

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare specifications: Partial<Specifications>

  @column()
  declare cpuTotal: number

  /** Bytes, as Incus told them last. */
  @column()
  declare memoryTotal: number

  @column()
  declare memoryUsed: number | null

  @column()
  declare diskTotal: number

  @column()
  declare diskUsed: number | null

  /**
   * What is allocated to the instances on it and how many ports lead into them. The database counts
   * with each row that allocates (migration 0090); nothing else writes here but the check of the sums.
   */
  @column({ columnName: 'promised_instances' })
  declare allocatedInstances: number

  @column({ columnName: 'promised_vcpu', consume: Number })
  declare allocatedVcpu: number

  /** Bytes. */
  @column({ columnName: 'promised_memory' })
  declare allocatedMemory: number

  @column({ columnName: 'promised_disk' })
  declare allocatedDisk: number

  @column()
  declare leasedPorts: number

  /** The storage pool and the bridge that instances are made on. */
  @column()
  declare storagePool: string | null

  @column()
  declare network: string | null

  /** The result of the last self-test of containment; null before the first. */
  @column({ prepare: (value: unknown) => value && JSON.stringify(value) })
  declare containment: ContainmentReport | null

  @column.dateTime()
  declare seenAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  /** All that are not deleted: where a question begins, unless it is about deleted ones too (`query`). */
  static live(options?: ModelAdapterOptions) {
    return HostInstance.query(options).whereNot('status', 'deleted')
  }

  @beforeCreate()
  static setRunningRelease(host: HostInstance) {
    host.machineId ??= localMachineId()
    const nothing = {
      allocatedInstances: 0,
      allocatedVcpu: 0,
      allocatedMemory: 0,
      allocatedDisk: 0,
    }
    host.merge({ ...nothing, leasedPorts: 0 })
  }
}
