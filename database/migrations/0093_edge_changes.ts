import { BaseSchema } from '@adonisjs/lucid/schema'

/** What the edge serves by, with the part of each row that it looks at. */
const LOOKED_AT: Record<string, string[]> = {
  domains: [
    ...['server_instance_id', 'subdomain', 'status', 'inner_port', 'proven_at'],
    ...['wants_certificate', 'certificate_asked_at'],
  ],
  server_instances: ['status', 'private_ip', 'host_instance_id'],
  host_instances: ['status', 'ip', 'is_local', 'machine_id'],
  port_leases: ['host_instance_id', 'port', 'inner_port', 'name'],
}

/** Tells the workers at the commit that what they serve may have changed (app/core/live). */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create function tell_edge() returns trigger language plpgsql as $$
      begin
        perform pg_notify('berth_live', '{"topic":"edge:changed","payload":null}');
        return null;
      end $$`)
    for (const [table, columns] of Object.entries(LOOKED_AT)) {
      const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
      this.schema.raw(`
        create trigger ${table}_edge_rows after insert or delete on ${table}
        for each statement execute function tell_edge()`)
      this.schema.raw(`
        create trigger ${table}_edge_changes after update of ${columns.join(', ')} on ${table}
        for each row when ((${of('old')}) is distinct from (${of('new')}))
        execute function tell_edge()`)
    }
  }

  async down() {
    for (const table of Object.keys(LOOKED_AT)) {
      this.schema.raw(`drop trigger ${table}_edge_changes on ${table}`)
      this.schema.raw(`drop trigger ${table}_edge_rows on ${table}`)
    }
    this.schema.raw('drop function tell_edge()')
  }
}
