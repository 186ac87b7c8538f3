import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The vault and mail services cannot read the console's tables, but must check that their tables match their
 * version.
 */
export default class extends BaseSchema {
  async up() {
    for (const service of ['vault', 'mail']) {
      // PostgreSQL would let a role with write access change the table through a simple view. "distinct" makes
      // the view read-only.
      this.schema.raw(`
        create view ${service}.migrations as
        select distinct regexp_replace(name, '^.*/', '') as name from public.adonis_schema`)
    }
  }

  async down() {
    for (const service of ['vault', 'mail']) this.schema.raw(`drop view ${service}.migrations`)
  }
}
