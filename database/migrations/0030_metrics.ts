import { BaseSchema } from '@adonisjs/lucid/schema'

/** Resource usage of instances and hosts: samples by minute, aggregated to 5 minutes and to hours. */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('metric_samples', (table) => {
      table.string('subject', 16).notNullable()
      table.bigInteger('subject_id').notNullable()
      // Length of the interval in seconds: 60, 300 or 3600.
      table.integer('step').notNullable()
      table.timestamp('at').notNullable()
      // Number of one-minute samples that were aggregated into this row.
      table.integer('samples').notNullable()
      table.double('cpu').nullable()
      table.double('load').nullable()
      table.double('memory_used').nullable()
      table.double('memory_total').nullable()
      table.double('disk_used').nullable()
      table.double('disk_total').nullable()
      table.double('disk_read').nullable()
      table.double('disk_written').nullable()
      table.double('network_in').nullable()
      table.double('network_out').nullable()
      table.primary(['subject', 'subject_id', 'step', 'at'])
      table.index(['step', 'at'])
    })

    // Last value of each counter that Incus reports, by the instance's name in Incus.
    this.schema.createTable('metric_counters', (table) => {
      table.bigInteger('host_instance_id').notNullable().references('host_instances.id')
      table.string('name').notNullable()
      table.timestamp('at').notNullable()
      table.double('cpu').notNullable()
      table.double('disk_read').notNullable()
      table.double('disk_written').notNullable()
      table.double('network_in').notNullable()
      table.double('network_out').notNullable()
      table.primary(['host_instance_id', 'name'])
    })
  }

  async down() {
    this.schema.dropTable('metric_counters')
    this.schema.dropTable('metric_samples')
  }
}
