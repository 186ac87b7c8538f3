import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the sum of the resources allocated on each host. The transaction that allocates resources updates it, so an
 * order locks one row per host instead of reading all instances.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('host_instances', (table) => {
      table.integer('promised_instances').notNullable().defaultTo(0)
      table.decimal('promised_vcpu', 12, 2).notNullable().defaultTo(0)
      // Memory and disk in bytes.
      table.bigInteger('promised_memory').notNullable().defaultTo(0)
      table.bigInteger('promised_disk').notNullable().defaultTo(0)
      table.integer('leased_ports').notNullable().defaultTo(0)
    })
    this.schema.raw(`
      update host_instances set promised_instances = given.instances, promised_vcpu = given.vcpu,
        promised_memory = given.memory, promised_disk = given.disk
      from (select host_instance_id, count(*) as instances, sum(vcpu) as vcpu,
              sum(memory_bytes) as memory, sum(disk_bytes) as disk
            from server_instances where status <> 'deleted' group by host_instance_id) as given
      where given.host_instance_id = host_instances.id`)
    this.schema.raw(`
      update host_instances set leased_ports = leased.ports
      from (select host_instance_id, count(*) as ports from port_leases group by 1) as leased
      where leased.host_instance_id = host_instances.id`)

    this.schema.raw(`
      create function count_promise() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' and old.status <> 'deleted' then
          update host_instances set promised_instances = promised_instances - 1,
            promised_vcpu = promised_vcpu - old.vcpu,
            promised_memory = promised_memory - old.memory_bytes,
            promised_disk = promised_disk - old.disk_bytes
          where id = old.host_instance_id;
        end if;
        if tg_op <> 'DELETE' and new.status <> 'deleted' then
          update host_instances set promised_instances = promised_instances + 1,
            promised_vcpu = promised_vcpu + new.vcpu,
            promised_memory = promised_memory + new.memory_bytes,
            promised_disk = promised_disk + new.disk_bytes
          where id = new.host_instance_id;
        end if;
        return null;
      end $$`)
    this.schema.raw(`
      create trigger server_instances_promised after insert or delete on server_instances
      for each row execute function count_promise()`)
    this.schema.raw(`
      create trigger server_instances_promised_otherwise
      after update of host_instance_id, status, vcpu, memory_bytes, disk_bytes on server_instances
      for each row when (
        (old.host_instance_id, old.status = 'deleted', old.vcpu, old.memory_bytes, old.disk_bytes)
        is distinct from
        (new.host_instance_id, new.status = 'deleted', new.vcpu, new.memory_bytes, new.disk_bytes))
      execute function count_promise()`)
    this.schema.raw(`
      create function count_port() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' then
          update host_instances set leased_ports = leased_ports - 1 where id = old.host_instance_id;
        end if;
        if tg_op <> 'DELETE' then
          update host_instances set leased_ports = leased_ports + 1 where id = new.host_instance_id;
        end if;
        return null;
      end $$`)
    this.schema.raw(`
      create trigger port_leases_counted
      after insert or delete or update of host_instance_id on port_leases
      for each row execute function count_port()`)
  }

  async down() {
    this.schema.raw('drop trigger port_leases_counted on port_leases')
    this.schema.raw('drop trigger server_instances_promised_otherwise on server_instances')
    this.schema.raw('drop trigger server_instances_promised on server_instances')
    this.schema.raw('drop function count_port()')
    this.schema.raw('drop function count_promise()')
    this.schema.alterTable('host_instances', (table) =>
      table.dropColumns(
        'promised_instances',
        'promised_vcpu',
        'promised_memory',
        'promised_disk',
        'leased_ports'
      )
    )
  }
}
