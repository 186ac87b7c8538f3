import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the ID of the folder that holds the vaults' files (docs/decisions/0058). The file `mark` in the folder contains
 * the same ID. The vault service writes both when it first uses the folder.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table vault.folder_mark (
        one boolean primary key default true check (one),
        mark text not null,
        marked_at timestamptz(3) not null default now()
      )`)
  }

  async down() {
    this.schema.raw('drop table vault.folder_mark')
  }
}
