import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the time of the last backup point, which the backup job writes. The vault keeps files that were deleted later
 * until the next backup (docs/decisions/0047).
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table vault.backed_up (
        one boolean primary key default true check (one),
        at timestamptz(3) not null,
        -- From this time, deletion resumes even if no backup has succeeded.
        until timestamptz(3) not null
      )`)
  }

  async down() {
    this.schema.raw('drop table vault.backed_up')
  }
}
