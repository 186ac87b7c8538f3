import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds versions of packages (plans) and subscriptions. Existing instances get version 1 of their package. If they are
 * not deleted, they also get a subscription that starts at their creation.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('package_versions', (table) => {
      table.bigIncrements('id')
      table.bigInteger('server_package_id').notNullable().references('server_packages.id')
      table.integer('number').notNullable()
      table.jsonb('specifications').notNullable()
      table.jsonb('pricing').notNullable()
      table.bigInteger('created_by').nullable().references('people.id')
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.unique(['server_package_id', 'number'])
      table.unique(['id', 'server_package_id'])
    })
    this.schema.alterTable('server_packages', (table) => {
      table.integer('version').notNullable().defaultTo(1)
    })
    this.schema.raw(`
      insert into package_versions (server_package_id, number, specifications, pricing)
      select id, 1, specifications, pricing from server_packages order by id`)
    this.schema.raw(`
      create trigger package_versions_stay before update or delete or truncate on package_versions
      for each statement execute function refuse_change()`)

    this.schema.alterTable('server_instances', (table) => {
      table.bigInteger('package_version_id').nullable()
    })
    this.schema.raw(`
      update server_instances set package_version_id = package_versions.id from package_versions
      where package_versions.server_package_id = server_instances.server_package_id`)
    this.schema.raw(`
      alter table server_instances alter column package_version_id set not null,
      add constraint server_instances_version foreign key (package_version_id, server_package_id)
        references package_versions (id, server_package_id)`)
    this.schema.raw(
      'create index server_instances_versions on server_instances (package_version_id)'
    )

    this.schema.createTable('subscriptions', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable()
      // The resource that the subscription bills. Each further type of resource gets a generated column like
      // server_instance_id.
      table.text('subject_type').notNullable()
      table.bigInteger('subject_id').notNullable()
      table.bigInteger('package_version_id').notNullable().references('package_versions.id')
      table.text('period').notNullable()
      // Prices in US dollars, of the first period and of each later one.
      table.specificType('price', 'numeric').notNullable()
      table.specificType('renewal_price', 'numeric').notNullable()
      table.timestamp('started_at').notNullable()
      table.timestamp('anchored_at').notNullable()
      table.timestamp('renews_at').notNullable()
      table.timestamp('ended_at').nullable()
      table.text('end_reason').nullable()
      table.index(['account_id'])
      table.index(['subject_type', 'subject_id'])
    })
    this.schema.raw(`
      alter table subscriptions
        add column server_instance_id bigint
          generated always as (case when subject_type = 'server_instance' then subject_id end) stored,
        add constraint subscriptions_server_instance foreign key (server_instance_id, account_id)
          references server_instances (id, customer_id),
        add constraint subscriptions_subject_type_known check (subject_type in ('server_instance')),
        add constraint subscriptions_period_known check (period in ('month', 'year')),
        add constraint subscriptions_end_reason_known check (end_reason in ('resized', 'deleted')),
        add constraint subscriptions_money check (
          price >= 0 and renewal_price >= 0 and scale(price) <= 6 and scale(renewal_price) <= 6),
        add constraint subscriptions_times check (
          anchored_at <= started_at and started_at < renews_at and ended_at >= started_at),
        add constraint subscriptions_end check ((ended_at is null) = (end_reason is null))`)
    this.schema.raw(`
      create unique index subscriptions_running on subscriptions (subject_type, subject_id)
      where ended_at is null`)
    this.schema.raw(
      'create index subscriptions_due on subscriptions (renews_at) where ended_at is null'
    )
    // Uses the price that the instance's page shows. If the package has no price for the instance's billing period,
    // converts another one: a year counts as twelve months.
    this.schema.raw(`
      insert into subscriptions (account_id, subject_type, subject_id, package_version_id, period,
        price, renewal_price, started_at, anchored_at, renews_at, ended_at, end_reason)
      select one.customer_id, 'server_instance', one.id, one.package_version_id, one.billing_period,
        round((sold.price ->> 'price')::numeric * sold.factor, 6),
        round((sold.price ->> 'renew')::numeric * sold.factor, 6),
        one.created_at, one.created_at, next.renewal, one.deletion_asked_at,
        case when one.deletion_asked_at is not null then 'deleted' end
      from server_instances one
      join package_versions version on version.id = one.package_version_id
      cross join lateral (
        select price, case when price ->> 'period' = one.billing_period then 1
          when one.billing_period = 'year' then 12 else 1.0 / 12 end as factor
        from jsonb_array_elements(version.pricing) price
        order by price ->> 'period' = one.billing_period desc limit 1) sold
      cross join lateral (
        select min(renewal) as renewal
        from generate_series(1, 2400) count
        cross join lateral (
          select (one.created_at at time zone 'Asia/Dhaka' + count * ('1 ' || one.billing_period)::interval)
            at time zone 'Asia/Dhaka' as renewal) renewals
        where renewal > coalesce(one.deletion_asked_at, now())) next
      where one.status <> 'deleted' order by one.id`)
  }

  async down() {
    this.schema.dropTable('subscriptions')
    this.schema.raw('alter table server_instances drop constraint server_instances_version')
    this.schema.alterTable('server_instances', (table) => table.dropColumn('package_version_id'))
    this.schema.alterTable('server_packages', (table) => table.dropColumn('version'))
    this.schema.dropTable('package_versions')
  }
}
