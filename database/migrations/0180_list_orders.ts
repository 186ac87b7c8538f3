import { BaseSchema } from '@adonisjs/lucid/schema'

/** Indexes for sorting large lists (decision 0036): table, name, key columns, included columns. */
const orders = [
  ['bills', 'amount', 'family, amount, id', 'status'],
  ['bills', 'date', 'family, billing_date, id', 'status'],
  ['mail_senders', 'email', 'email, id', 'status'],
  ['mail_senders', 'created', 'created_at, id', 'status'],
  ['projects', 'name', 'lower(name), id', 'name, status'],
  ['projects', 'stack', 'stack, id', 'status'],
  ['projects', 'path', 'path, id', 'status'],
]

export default class extends BaseSchema {
  async up() {
    for (const [table, name, columns, beside] of orders) {
      this.schema.raw(
        `create index ${table}_by_${name} on ${table} (${columns}) include (${beside})`
      )
    }
  }

  async down() {
    for (const [table, name] of orders) this.schema.raw(`drop index ${table}_by_${name}`)
  }
}
