import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Freezes the dollar rate of each bill when it is issued (decision 0081). The previous release issues bills without a
 * rate, sets one when a payment is reported, and clears it later. So a trigger in the database sets and keeps the rate.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('bills', (table) => {
      // Day whose exchange rate is frozen. Null: the bill was settled before this migration, or no rate was set.
      table.date('rate_day').nullable()
    })
    // Returns the rate of the day, or else the first later one until today.
    this.schema.raw(`
      create function bill_rate(day date, zone text, out rate numeric, out rate_day date)
      language sql stable as $$
        select dollar_rates.rate, greatest(effective_from, day) from dollar_rates
        where effective_from <= greatest(day, (now() at time zone zone)::date)
        order by effective_from > day, abs(effective_from - day) limit 1 $$`)
    this.schema.raw(`
      create function freeze_bill_rate() returns trigger language plpgsql as $$ begin
        select rate, bill_rate.rate_day into new.dollar_rate, new.rate_day
          from bill_rate(new.billing_date, new.zone);
        return new; end $$`)
    this.schema.raw(`
      create trigger bills_freeze_rate before insert on bills for each row
      when (new.family = 'console' and new.dollar_rate is null) execute function freeze_bill_rate()`)
    // Bills with a reported payment keep the rate at which the customer paid. The others get the rate of their billing
    // date, because the first email about the bill showed that rate.
    this.schema.raw(`
      update bills set
        dollar_rate = coalesce(dollar_rate, (bill_rate(billing_date, zone)).rate),
        rate_day = case when dollar_rate is null then (bill_rate(billing_date, zone)).rate_day
          else coalesce((select max(claimed_at) at time zone zone from bill_payments
            where bill_id = bills.id and bill_payments.status = 'claimed')::date, billing_date) end
      where family = 'console' and status <> 'success'`)
    this.schema.raw(`
      create function keep_bill_rate() returns trigger language plpgsql as $$ begin
        new.dollar_rate := old.dollar_rate;
        new.rate_day := old.rate_day;
        return new; end $$`)
    this.schema.raw(`
      create trigger bills_keep_rate before update of dollar_rate, rate_day on bills for each row
      when (old.rate_day is not null) execute function keep_bill_rate()`)
  }

  async down() {
    this.schema.raw('drop trigger bills_keep_rate on bills')
    this.schema.raw('drop trigger bills_freeze_rate on bills')
    this.schema.raw('drop function keep_bill_rate(), freeze_bill_rate(), bill_rate(date, text)')
    this.schema.alterTable('bills', (table) => table.dropColumn('rate_day'))
  }
}
