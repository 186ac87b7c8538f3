import { BaseSchema } from '@adonisjs/lucid/schema'

/** Vault and mail see no table of the console; by these they know whether theirs are those of their version. */
export default class extends BaseSchema {
  async up() {
    for (const service of ['vault', 'mail']) {
      // Who may write into a view of one table writes that table; into one with "distinct" nobody can.
      this.schema.raw(`
        create view ${service}.migrations as
        select distinct regexp_replace(name, '^.*/', '') as name from public.adonis_schema`)
    }
  }

  async down() {
    for (const service of ['vault', 'mail']) this.schema.raw(`drop view ${service}.migrations`)
  }
}
