import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the months whose usage is already billed. Usage of these months that is reported afterwards counts as late
 * (decision 0035).
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table usage_months (
        -- Such as 2026-10.
        month text primary key,
        charged_at timestamptz(3) not null default now()
      )`)
  }

  async down() {
    this.schema.dropTable('usage_months')
  }
}
