import { BaseSchema } from '@adonisjs/lucid/schema'

interface Watched {
  columns: string[]
  /** SQL condition on the changed row, which is named `one`. Default: all rows. */
  where?: string
  /** Whether inserted and deleted rows notify too. */
  whole?: true
}

/** Tables and columns from which the edge proxy's sites are built. */
const WATCHED: Record<string, Watched> = {
  domains: {
    columns: [
      'server_instance_id',
      'subdomain',
      'status',
      'inner_port',
      'proven_at',
      'wants_certificate',
      'certificate_asked_at',
    ],
    whole: true,
  },
  port_leases: {
    columns: ['host_instance_id', 'port', 'inner_port', 'name'],
    where: `one.name like 'edge-%'`,
    whole: true,
  },
  server_instances: {
    columns: ['status', 'private_ip', 'host_instance_id'],
    where: 'exists (select from domains where server_instance_id = one.id)',
  },
  host_instances: { columns: ['status', 'ip', 'is_local', 'machine_id'] },
}

/** Notifies the workers, when a transaction commits, that the edge proxy's sites may have changed (app/core/live). */
export default class extends BaseSchema {
  async up() {
    for (const [table, { columns, where = 'true', whole }] of Object.entries(WATCHED)) {
      const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
      this.schema.raw(`
        create function tell_edge_of_${table}() returns trigger language plpgsql as $$
        declare
          one record;
        begin
          if tg_op = 'DELETE' then one := old; else one := new; end if;
          if ${where} then
            perform pg_notify('berth_live', '{"topic":"edge:changed","payload":null}');
          end if;
          return null;
        end $$`)
      this.schema.raw(`
        create trigger ${table}_edge_changes after update of ${columns.join(', ')} on ${table}
        for each row when ((${of('old')}) is distinct from (${of('new')}))
        execute function tell_edge_of_${table}()`)
      if (!whole) continue
      this.schema.raw(`
        create trigger ${table}_edge_rows after insert or delete on ${table}
        for each row execute function tell_edge_of_${table}()`)
    }
  }

  async down() {
    for (const [table, { whole }] of Object.entries(WATCHED)) {
      this.schema.raw(`drop trigger ${table}_edge_changes on ${table}`)
      if (whole) this.schema.raw(`drop trigger ${table}_edge_rows on ${table}`)
      this.schema.raw(`drop function tell_edge_of_${table}()`)
    }
  }
}
