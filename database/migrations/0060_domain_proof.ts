import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Reserves a domain name for an account only after it has proven ownership (docs/decisions/0011). Adds the
 * current step of each domain's set-up.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('domains', (table) => {
      table.bigInteger('customer_id').nullable().references('people.id')
      table.string('proven_by').nullable()
      table.timestamp('proven_at').nullable()
      table.string('step').nullable()
      table.text('details').nullable()
      table.text('seen').nullable()
      table.boolean('wants_certificate').notNullable().defaultTo(false)
      table.timestamp('certificate_asked_at').nullable()
      table.timestamp('served_at').nullable()
      table.integer('attempts').notNullable().defaultTo(0)
      table.timestamp('checked_at').nullable()
      table.timestamp('check_at').notNullable().defaultTo(this.now()).index()
      table.dropUnique(['subdomain'])
    })
    // Domains with a running site count as proven. All others must prove ownership as new ones do.
    this.schema.raw(`
      update domains set customer_id = server_instances.customer_id
      from server_instances where server_instances.id = domains.server_instance_id`)
    this.schema.raw(`
      update domains set proven_by = 'kept', proven_at = now(), wants_certificate = true,
        served_at = case when certificate_until is null then null else now() end
      where status = 'active'`)
    this.schema.alterTable('domains', (table) => {
      table.dropNullable('customer_id')
      table.unique(['customer_id', 'subdomain'])
    })
    this.schema.raw(`
      create unique index domains_holder on domains (subdomain) where proven_at is not null`)
    this.schema.raw(`
      alter table domains
        add constraint domains_status_check check (status in ('pending', 'active', 'failed')),
        add constraint domains_step_check check (step in ('dns', 'certificate', 'answer')),
        add constraint domains_proof_check check (
          proven_by in ('txt', 'address', 'kept') and proven_at is not null
          or proven_by is null and proven_at is null)`)
  }

  async down() {
    this.schema.raw('drop index domains_holder')
    this.schema.raw(`
      alter table domains drop constraint domains_status_check,
        drop constraint domains_step_check, drop constraint domains_proof_check`)
    this.schema.raw(`
      delete from domains using domains as other
      where other.subdomain = domains.subdomain and other.id <> domains.id
        and (other.proven_at is not null or domains.proven_at is null and other.id < domains.id)`)
    this.schema.alterTable('domains', (table) => {
      table.dropUnique(['customer_id', 'subdomain'])
      table.unique(['subdomain'])
      for (const column of [
        'customer_id',
        'proven_by',
        'proven_at',
        'step',
        'details',
        'seen',
        'attempts',
        'wants_certificate',
        'certificate_asked_at',
        'served_at',
        'checked_at',
        'check_at',
      ]) {
        table.dropColumn(column)
      }
    })
  }
}
