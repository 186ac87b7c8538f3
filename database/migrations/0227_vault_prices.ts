import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the prices that the console sends to the vault service. Without a row, the service uses its defaults. */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table vault.prices (
        id integer primary key default 1 check (id = 1),
        -- Prices in USD: per request, per GB sent, and per GB stored for a month.
        request numeric(18, 6) not null,
        bandwidth_gb numeric(18, 6) not null,
        storage_gb numeric(18, 6) not null)`)
  }

  async down() {
    this.schema.raw('drop table vault.prices')
  }
}
