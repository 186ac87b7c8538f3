import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the words that a bank statement uses in its columns for the status and for debit or credit. `terms` are those
 * that staff have classified, a list of `{ column, term, counts }`. `unknown_terms` are the others, a list of `{
 * column, term, count, rows }`. The previous release counts transfers with unknown words as received.
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
