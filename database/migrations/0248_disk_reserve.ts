import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Saves for each instance the disk space reserved for the base image, because new instances reserve less than existing
 * ones. Adds disk overcommit of hosts (decision 0085).
 */
export default class extends BaseSchema {
  async up() {
    // 2 GiB, for existing instances and for orders by the previous release.
    this.schema.raw(`
      alter table server_instances add column image_bytes bigint not null default 2147483648
        constraint server_instances_image_bytes check (image_bytes >= 0);
      alter table host_instances add column disk_overcommit numeric(3, 2) not null default 1
        constraint host_instances_disk_overcommit check (disk_overcommit between 1 and 4)`)
  }

  async down() {
    this.schema.raw(`
      alter table server_instances drop column image_bytes;
      alter table host_instances drop column disk_overcommit`)
  }
}
