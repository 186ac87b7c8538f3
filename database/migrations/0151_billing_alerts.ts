import { BaseSchema } from '@adonisjs/lucid/schema'

/** From which sum of a month on an account wants to be told (decision 0033). */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('billing_alerts', (table) => {
      table.bigInteger('account_id').primary().references('accounts.id').onDelete('CASCADE')
      // Taka.
      table.decimal('amount', 18, 2).notNullable().checkPositive()
      // `2026-10`: the month of which they were told last.
      table.text('told_month').nullable()
    })
  }

  async down() {
    this.schema.dropTable('billing_alerts')
  }
}
