import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table subscriptions add constraint subscriptions_account foreign key (account_id)
      references accounts (id)`)
  }

  async down() {
    this.schema.raw('alter table subscriptions drop constraint subscriptions_account')
  }
}
