import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Lets the vault and mail services read which migrations have run, so that they can check that their tables match their
 * version. They can read no other table of the console.
 */
export default class extends BaseSchema {
  async up() {
    for (const service of ['vault', 'mail']) {
      // PostgreSQL allows writes through a simple view. "distinct" makes the view read-only.
      this.schema.raw(`
        create view ${service}.migrations as
        select distinct regexp_replace(name, '^.*/', '') as name from public.adonis_schema`)
    }
  }

  async down() {
    for (const service of ['vault', 'mail']) this.schema.raw(`drop view ${service}.migrations`)
  }
}
