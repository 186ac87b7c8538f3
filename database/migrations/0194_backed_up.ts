import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Up to when vaults are backed up: files that were deleted later wait for a backup that has seen them
 * (docs/decisions/0047). Written by whoever backs up.
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
