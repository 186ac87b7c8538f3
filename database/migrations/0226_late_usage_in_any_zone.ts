import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Serves every time zone. `usage_events_late` serves only installations in Dhaka, and the release before still
 * uses it.
 */
export default class extends BaseSchema {
  async up() {
    // A month begins first at UTC+14, and the local time is earliest at UTC-12. So the index has all usage
    // that is late in some time zone, and besides that only usage around the end of a month.
    this.schema.raw(`
      create index usage_events_late_any_zone on usage_events (at)
      where created_at >= (date_trunc('month', at at time zone 'UTC' - interval '12 hours')
        + interval '1 month' - interval '14 hours') at time zone 'UTC'`)
  }

  async down() {
    this.schema.raw('drop index usage_events_late_any_zone')
  }
}
