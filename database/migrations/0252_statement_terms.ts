import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Words of the columns for the status and for debit or credit: `terms` are the answers of staff, a list of
 * `{ column, term, counts }`, and `unknown_terms` those without an answer, a list of
 * `{ column, term, count, rows }`. The previous release counts transfers with unknown words as received.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table statement_formats add column terms jsonb not null default '[]';
      alter table statements add column unknown_terms jsonb not null default '[]'`)
  }

  async down() {
    this.schema.raw(`
      alter table statements drop column unknown_terms;
      alter table statement_formats drop column terms`)
  }
}
