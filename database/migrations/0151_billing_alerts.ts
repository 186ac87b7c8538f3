import { BaseSchema } from '@adonisjs/lucid/schema'

/** Spending alerts: the monthly amount above which an account is notified (decision 0033). */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('billing_alerts', (table) => {
      table.bigInteger('account_id').primary().references('accounts.id').onDelete('CASCADE')
      // In taka.
      table.decimal('amount', 18, 2).notNullable().checkPositive()
      // Month of the last notification, such as `2026-10`.
      table.text('told_month').nullable()
    })
  }

  async down() {
    this.schema.dropTable('billing_alerts')
  }
}
