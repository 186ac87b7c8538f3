import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds Google's subject ID, the colour scheme, one-time codes and signed-in devices. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('people', (table) => {
      table.string('google_subject').nullable().unique()
      table.string('color_scheme').notNullable().defaultTo('auto')
      table.timestamp('invited_at').nullable()
    })

    this.schema.createTable('one_time_codes', (table) => {
      table.uuid('id').primary()
      table.string('audience').notNullable()
      table.string('purpose').notNullable()
      // Address to which the code was sent, in lower case.
      table.string('email').notNullable()
      // Null, unless a signed-in person requested the code to change their email address.
      table.bigInteger('person_id').nullable().references('people.id').onDelete('cascade')
      table.string('code_hash').notNullable()
      table.integer('tries').notNullable().defaultTo(0)
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('expires_at').notNullable().index()
      table.timestamp('used_at').nullable()
    })

    // A session is valid only while its device exists, so deleting the device signs it out.
    this.schema.createTable('devices', (table) => {
      table.uuid('id').primary()
      table.bigInteger('person_id').notNullable().references('people.id').onDelete('cascade')
      table.text('user_agent').notNullable().defaultTo('')
      table.string('ip').notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('seen_at').notNullable().defaultTo(this.now()).index()
      table.index(['person_id'])
    })
  }

  async down() {
    this.schema.dropTable('devices')
    this.schema.dropTable('one_time_codes')
    this.schema.alterTable('people', (table) =>
      table.dropColumns('google_subject', 'color_scheme', 'invited_at')
    )
  }
}
