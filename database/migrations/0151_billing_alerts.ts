import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds spending alerts: when an account's monthly charges reach the amount, its owners and billing members are emailed
 * (decision 0033).
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('billing_alerts', (table) => {
      table.bigInteger('account_id').primary().references('accounts.id').onDelete('CASCADE')
      // In taka.
      table.decimal('amount', 18, 2).notNullable().checkPositive()
      // Month for which the last alert was sent, such as `2026-10`.
      table.text('told_month').nullable()
    })
  }

  async down() {
    this.schema.dropTable('billing_alerts')
  }
}
