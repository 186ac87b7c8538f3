import { BaseSchema } from '@adonisjs/lucid/schema'
import { randomUUID } from 'node:crypto'

const GB = (value: number) => ({ value, unit: 'GB' })
const TB = (value: number) => ({ value, unit: 'TB' })

/** Series, name, vCPU, memory (GB), disk (GB), traffic (TB), US dollars per month, US dollars per year. */
const regular = [
  // A host with 1 vCPU, 2 GB of memory and 20 GB of disk has room for one instance of this plan and one shared
  // instance.
  ['bronze', 'Bronze Mini', 1, 0.5, 2, 0.5, '3.00', '30.00'],
  ['bronze', 'Bronze 1', 1, 1, 10, 1, '5.00', '50.00'],
  ['bronze', 'Bronze 2', 1, 2, 20, 2, '9.00', '90.00'],
  ['bronze', 'Bronze 4', 2, 4, 40, 3, '17.00', '170.00'],
  ['silver', 'Silver 4', 2, 4, 60, 4, '22.00', '220.00'],
  ['silver', 'Silver 8', 4, 8, 120, 5, '42.00', '420.00'],
  ['gold', 'Gold 16', 6, 16, 240, 8, '84.00', '840.00'],
  ['gold', 'Gold 32', 8, 32, 480, 10, '164.00', '1640.00'],
] as const

const shared = [
  ['bronze', 'Shared Mini', 1, 0.25, 1, 0.25, '0.90', '9.00'],
  ['bronze', 'Shared Bronze', 1, 0.5, 5, 0.5, '1.50', '15.00'],
  ['silver', 'Shared Silver', 1, 1, 10, 1, '2.75', '27.50'],
  ['gold', 'Shared Gold', 2, 2, 20, 2, '5.00', '50.00'],
] as const

function packageRow(
  instanceType: string,
  [series, name, vcpu, ram, storage, traffic, month, year]: (
    | typeof regular
    | typeof shared
  )[number],
  position: number
) {
  return {
    name,
    instance_type: instanceType,
    server_series: series,
    specifications: JSON.stringify({
      vcpu: { value: vcpu },
      ram: ram < 1 ? { value: ram * 1024, unit: 'MB' } : GB(ram),
      storage: { ...GB(storage), type: 'SSD' },
      bandwidth: traffic < 1 ? GB(traffic * 1000) : TB(traffic),
    }),
    pricing: JSON.stringify([
      { period: 'month', price: month, renew: month, billing_cycle: 1 },
      { period: 'year', price: year, renew: year, billing_cycle: 12 },
    ]),
    position,
  }
}

/**
 * Adds capacities of hosts, allocated resources of instances, findings of the reconciler, and the first packages
 * (plans).
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('host_instances', (table) => {
      table.integer('cpu_total').notNullable().defaultTo(0)
      // Memory and disk in bytes.
      table.bigInteger('memory_total').notNullable().defaultTo(0)
      table.bigInteger('memory_used').nullable()
      table.bigInteger('disk_total').notNullable().defaultTo(0)
      table.bigInteger('disk_used').nullable()
      table.string('storage_pool').nullable()
      table.string('network').nullable()
    })
    this.schema.alterTable('server_instances', (table) => {
      // Resources allocated to the instance, memory and disk in bytes. A later change of the package does not change
      // them.
      table.decimal('vcpu', 6, 2).notNullable().defaultTo(0)
      table.bigInteger('memory_bytes').notNullable().defaultTo(0)
      table.bigInteger('disk_bytes').notNullable().defaultTo(0)
      table.timestamp('deletion_asked_at').nullable()
    })
    this.schema.raw(`
      create unique index server_instances_private_ip on server_instances (host_instance_id, private_ip)
      where status <> 'deleted' and private_ip is not null`)
    this.schema.raw(`
      create index server_instances_boosted on server_instances (boosted_until)
      where boosted_until is not null`)

    this.schema.createTable('compute_findings', (table) => {
      table.bigIncrements('id')
      table.bigInteger('host_instance_id').notNullable().references('host_instances.id')
      table.bigInteger('server_instance_id').nullable().references('server_instances.id')
      table.string('system_id').notNullable()
      table.string('kind').notNullable()
      table.text('words').notNullable()
      table.timestamp('found_at').notNullable().defaultTo(this.now())
      table.timestamp('seen_at').notNullable().defaultTo(this.now())
      table.timestamp('gone_at').nullable()
    })
    this.schema.raw(`
      create unique index compute_findings_open on compute_findings (host_instance_id, system_id, kind)
      where gone_at is null`)

    this.defer(async (db) => {
      await db
        .insertQuery()
        .table('settings')
        .insert({ key: 'installation_id', value: JSON.stringify(randomUUID()) })
      await db
        .insertQuery()
        .table('server_packages')
        .multiInsert([
          ...regular.map((row, index) => packageRow('regular', row, index)),
          ...shared.map((row, index) => packageRow('shared', row, index)),
        ])
    })
  }

  async down() {
    this.schema.dropTable('compute_findings')
    this.schema.raw('drop index server_instances_boosted')
    this.schema.raw('drop index server_instances_private_ip')
    this.schema.alterTable('server_instances', (table) =>
      table.dropColumns('vcpu', 'memory_bytes', 'disk_bytes', 'deletion_asked_at')
    )
    this.schema.alterTable('host_instances', (table) =>
      table.dropColumns(
        'cpu_total',
        'memory_total',
        'memory_used',
        'disk_total',
        'disk_used',
        'storage_pool',
        'network'
      )
    )
    this.defer(async (db) => {
      await db.from('settings').where('key', 'installation_id').delete()
    })
  }
}
