import { BaseSchema } from '@adonisjs/lucid/schema'

/** Tables whose rows belong to an account from now on, instead of to a customer: table, column, foreign key. */
const OWNED: [table: string, column: string, constraint: string][] = [
  ['server_instances', 'customer_id', 'server_instances_customer_id_foreign'],
  ['domains', 'customer_id', 'domains_customer_id_foreign'],
  ['projects', 'customer_id', 'projects_customer_id_foreign'],
]

/**
 * Adds accounts. Each existing customer gets an account with the same ID, so stored customer IDs stay valid as account
 * IDs.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('accounts', (table) => {
      // The person who created the account (docs/product.md, "Accounts").
      table.bigInteger('id').primary().references('people.id')
      table.text('name').notNullable()
      table.text('status').notNullable().defaultTo('active')
      table.text('status_reason').nullable()
      table.timestamp('suspended_at').nullable()
      table.timestamp('resumed_at').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
    })
    this.schema.raw(`
      alter table accounts add constraint accounts_status_known
        check (status in ('active', 'suspended', 'closed'))`)
    this.schema.raw(`
      insert into accounts (id, name, created_at, updated_at)
      select id, name, created_at, updated_at from people where audience = 'customer'`)

    for (const [table, column, constraint] of OWNED) {
      this.schema.raw(`alter table ${table} drop constraint ${constraint}`)
      this.schema.raw(`alter table ${table} rename column ${column} to account_id`)
      this.schema.raw(`
        alter table ${table} add constraint ${table}_account foreign key (account_id)
        references accounts (id)`)
    }
    this.schema.raw('alter table audit_entries rename column customer_id to account_id')
    this.schema.raw('alter table operations rename column owner_id to account_id')
    this.schema.raw(`
      alter table operations add constraint operations_account foreign key (account_id)
      references accounts (id)`)
    this.schema.raw('alter table port_leases add column account_id bigint')
    this.schema.raw(`
      update port_leases set account_id = server_instances.account_id
      from server_instances where server_instances.id = port_leases.server_instance_id`)
    this.schema.raw('alter table port_leases alter column account_id set not null')
    for (const table of ['port_leases', 'domains']) {
      this.schema.raw(`
        alter table ${table} add constraint ${table}_owner
        foreign key (server_instance_id, account_id) references server_instances (id, account_id)`)
    }
    // The instance's status before its account was suspended. Set only during the suspension.
    this.schema.raw('alter table server_instances add column held_from text')
    this.schema.raw(`
      alter table server_instances add constraint server_instances_held_from_known
        check (held_from in ('active', 'stopped'))`)

    this.schema.createTable('members', (table) => {
      table.bigInteger('account_id').notNullable().references('accounts.id').onDelete('cascade')
      table.bigInteger('person_id').notNullable().references('people.id').onDelete('cascade')
      table.text('role').notNullable()
      table.bigInteger('default_instance_id').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.primary(['account_id', 'person_id'])
      table.index(['person_id'])
      table.index(['default_instance_id'])
    })
    this.schema.raw(`
      alter table members
        add constraint members_role_known check (role in ('owner', 'developer', 'billing')),
        add constraint members_default_instance foreign key (default_instance_id, account_id)
          references server_instances (id, account_id)`)
    this.schema.raw(`
      insert into members (account_id, person_id, role, default_instance_id, created_at)
      select people.id, people.id, 'owner', server_instances.id, people.created_at from people
      left join server_instances on server_instances.id = people.default_instance_id
        and server_instances.account_id = people.id
      where people.audience = 'customer'`)
    this.schema.raw('alter table people drop column default_instance_id')

    this.schema.createTable('member_invitations', (table) => {
      table.uuid('id').primary()
      table.bigInteger('account_id').notNullable().references('accounts.id').onDelete('cascade')
      // Email address in lower case.
      table.text('email').notNullable()
      table.text('role').notNullable()
      table.bigInteger('invited_by').nullable().references('people.id').onDelete('set null')
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('expires_at').notNullable().index()
      table.unique(['account_id', 'email'])
    })
    this.schema.raw(`
      alter table member_invitations add constraint member_invitations_role_known
        check (role in ('owner', 'developer', 'billing'))`)

    this.schema.createTable('account_notes', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable().references('accounts.id').onDelete('cascade')
      table.bigInteger('author_id').nullable().references('people.id').onDelete('set null')
      table.text('text').notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.index(['account_id', 'created_at'])
    })
  }

  async down() {
    this.schema.dropTable('account_notes')
    this.schema.dropTable('member_invitations')
    this.schema.raw('alter table people add column default_instance_id bigint')
    this.schema.raw(`
      update people set default_instance_id = members.default_instance_id
      from members where members.person_id = people.id and members.account_id = people.id`)
    this.schema.dropTable('members')
    this.schema.raw('alter table server_instances drop column held_from')
    for (const table of ['port_leases', 'domains']) {
      this.schema.raw(`alter table ${table} drop constraint ${table}_owner`)
    }
    this.schema.raw('alter table port_leases drop column account_id')
    this.schema.raw('alter table operations drop constraint operations_account')
    this.schema.raw('alter table operations rename column account_id to owner_id')
    this.schema.raw('alter table audit_entries rename column account_id to customer_id')
    for (const [table, column, constraint] of OWNED) {
      this.schema.raw(`alter table ${table} drop constraint ${table}_account`)
      this.schema.raw(`alter table ${table} rename column account_id to ${column}`)
      this.schema.raw(`
        alter table ${table} add constraint ${constraint} foreign key (${column})
        references people (id)`)
    }
    this.schema.dropTable('accounts')
  }
}
