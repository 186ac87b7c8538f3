import { BaseSchema } from '@adonisjs/lucid/schema'

/** Customers and staff have separate sessions. An email address may exist once in each of these audiences. */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('people', (table) => {
      table.bigIncrements('id')
      table.string('audience').notNullable()
      table.string('name').notNullable()
      table.string('email').notNullable()
      table.string('title').nullable()
      table.string('role').nullable()
      table.string('password').nullable()
      table.timestamp('disabled_at').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
    })
    this.schema.raw('create unique index people_address on people (audience, lower(email))')
    this.schema.raw(`
      alter table people add constraint people_roles check (
        (audience = 'customer' and role is null) or
        (audience = 'staff' and role in ('administrator', 'support')))`)
  }

  async down() {
    this.schema.dropTable('people')
  }
}
