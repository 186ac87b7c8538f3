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

/** Seconds since the host's console last reported about it. After them, the host gets no orders and becomes offline. */
export const SILENT_AFTER_SECONDS = 120

/**
 * SQL condition for silent hosts, with the seconds as its only binding. Uses the database's clock, because the
 * clocks of consoles differ.
 */
export const SILENT_HOSTS_SQL =
  'coalesce(host_instances.seen_at, host_instances.created_at) < now() - make_interval(secs => ?)'

export const SILENT_REASON =
  'No console has reported about this host for 2 minutes. The console that manages the host may be down or cannot reach the database.'

/** A machine that runs Incus (docs/product.md, "Machines"). */
export default class HostInstance extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare ip: string

  @column()
  declare status: HostStatus

  /** Shown to staff. An active host with a reason gets no orders. */
  @column()
  declare statusReason: string | null

  @column()
  declare provider: string

  /**
   * Id of the control machine that manages this host. That is the host itself, or the machine whose console added
   * it.
   */
  @column()
  declare machineId: string

  /** Whether the host is the control machine itself. Berth then uses its local Incus socket. */
  @column()
  declare isLocal: boolean

  /** Name of the server in Incus, which is also its name as a cluster member. */
  @column()
  declare systemId: string | null

  @column()
  declare incusUrl: string | null

  /** Server certificate in PEM format, pinned when the host was added. */
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

  /** Private key in OpenSSH format. */
  @column(encryptedColumn)
  declare sshKey: string | null

  /** SSH host key, pinned as `type base64`. */
  @column({ serializeAs: null })
  declare hostKey: string | null

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare specifications: Partial<Specifications>

  @column()
  declare cpuTotal: number

  /** In bytes, as Incus last reported. The next three columns are in bytes too. */
  @column()
  declare memoryTotal: number

  @column()
  declare memoryUsed: number | null

  @column()
  declare diskTotal: number

  @column()
  declare diskUsed: number | null

  /** Disk overcommitment, 1 to 4: the factor by which more disk than exists can be allocated (decision 0085). */
  @column({ consume: Number })
  declare diskOvercommit: number

  /**
   * Number of instances. Database triggers update this and the next four columns (migration 0090). Otherwise, only
   * the consistency check may write them.
   */
  @column({ columnName: 'promised_instances' })
  declare allocatedInstances: number

  @column({ columnName: 'promised_vcpu', consume: Number })
  declare allocatedVcpu: number

  /** In bytes. */
  @column({ columnName: 'promised_memory' })
  declare allocatedMemory: number

  @column({ columnName: 'promised_disk' })
  declare allocatedDisk: number

  @column()
  declare leasedPorts: number

  @column()
  declare storagePool: string | null

  @column()
  declare network: string | null

  /** Null: not tested yet. */
  @column({ prepare: (value: unknown) => value && JSON.stringify(value) })
  declare containment: ContainmentReport | null

  /** When Incus last responded. */
  @column.dateTime()
  declare seenAt: DateTime | null

  /** Whether Incus responded to the last check. Only meaningful for offline hosts; see `respondsThoughOffline`. */
  @column()
  declare incusResponds: boolean

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  /** Queries hosts that are not deleted. */
  static live(options?: ModelAdapterOptions) {
    return HostInstance.query(options).whereNot('status', 'deleted')
  }

  /**
   * Queries the hosts that accept orders (decision 0087). Excludes hosts whose console no longer reports. They stay
   * active until another console marks them, but nobody would create their instances.
   */
  static acceptingOrders(options?: ModelAdapterOptions) {
    return HostInstance.query(options)
      .where('status', 'active')
      .whereNull('statusReason')
      .whereRaw(`not (${SILENT_HOSTS_SQL})`, [SILENT_AFTER_SECONDS])
  }

  /**
   * Whether the host is active although its console has not reported about it for `SILENT_AFTER_SECONDS`. Use it
   * only for display, because it depends on this console's clock.
   */
  get isSilent(): boolean {
    return this.status === 'active' && wasSeenLongAgo(this)
  }

  /**
   * Whether the host is offline although its Incus responds, for example because it does not limit instances. Its
   * instances keep running.
   */
  get respondsThoughOffline(): boolean {
    return this.status === 'offline' && this.incusResponds && !wasSeenLongAgo(this)
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
    host.diskOvercommit ??= 1
    host.incusResponds ??= false
  }
}

function wasSeenLongAgo({ seenAt, createdAt }: HostInstance): boolean {
  return (seenAt ?? createdAt).diffNow().as('seconds') < -SILENT_AFTER_SECONDS
}
