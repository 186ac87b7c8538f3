import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The time up to which vaults are backed up. Files deleted later must wait for the next backup
 * (docs/decisions/0047). The backup job writes the time.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table vault.backed_up (
        one boolean primary key default true check (one),
        at timestamptz(3) not null,
        -- Should no backup succeed any more, deleting goes on from here.
        until timestamptz(3) not null
      )`)
  }

  async down() {
    this.schema.raw('drop table vault.backed_up')
  }
}
