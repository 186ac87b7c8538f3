import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the port at which an instance's web server accepts TLS connections from the edge proxy. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('domains', (table) => {
      table.integer('tls_port')
    })
    this.schema.raw(`
      create trigger domains_edge_tls_changes after update of tls_port on domains
      for each row when (old.tls_port is distinct from new.tls_port)
      execute function tell_edge_of_domains()`)
  }

  async down() {
    this.schema.raw('drop trigger domains_edge_tls_changes on domains')
    this.schema.alterTable('domains', (table) => {
      table.dropColumn('tls_port')
    })
  }
}
