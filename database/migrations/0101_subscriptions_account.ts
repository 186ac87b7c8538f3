import { BaseSchema } from '@adonisjs/lucid/schema'

/** Makes every subscription belong to an account, whatever its resource. */
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
