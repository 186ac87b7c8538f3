import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the machines on which this installation's Berth processes run (docs/decisions/0018). Each host belongs to the
 * machine that manages it. Operations and schedules can be assigned to a machine.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('machines', (table) => {
      table.uuid('id').primary()
      table.string('name').notNullable()
      // IP address for customers' DNS records. Null: the address of the machine's own host.
      table.string('public_ip').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('started_at').notNullable().defaultTo(this.now())
    })
    this.schema.alterTable('host_instances', (table) => {
      table.uuid('machine_id').nullable().references('machines.id')
    })
    // Until now there was one machine, the one that runs this migration. All existing hosts belong to it.
    this.defer(async (db) => {
      const id = process.env.MACHINE_ID
      if (!id) throw new Error('MACHINE_ID is missing: ./berth tells it')
      await db.insertQuery().table('machines').insert({ id, name: 'this machine' })
      await db.from('host_instances').update({ machine_id: id })
      await db.rawQuery('alter table host_instances alter column machine_id set not null')
    })
    this.schema.alterTable('operations', (table) => {
      table.uuid('machine_id').nullable()
    })
    this.schema.raw('alter table schedules drop constraint schedules_pkey')
    this.schema.alterTable('schedules', (table) => {
      table.uuid('machine_id').nullable()
    })
    this.schema.raw(
      'create unique index schedules_whose on schedules (name, machine_id) nulls not distinct'
    )
  }

  async down() {
    this.schema.raw('drop index schedules_whose')
    this.schema.raw('delete from schedules where machine_id is not null')
    this.schema.alterTable('schedules', (table) => table.dropColumn('machine_id'))
    this.schema.raw('alter table schedules add primary key (name)')
    this.schema.alterTable('operations', (table) => table.dropColumn('machine_id'))
    this.schema.alterTable('host_instances', (table) => table.dropColumn('machine_id'))
    this.schema.dropTable('machines')
  }
}
