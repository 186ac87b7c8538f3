import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds an index of late usage that serves every time zone. `usage_events_late`, which the previous release still uses,
 * serves only installations in Dhaka.
 */
export default class extends BaseSchema {
  async up() {
    // A month begins first at UTC+14, and the local time is earliest at UTC-12. So the index contains all usage that is
    // late in some time zone, and a little more: usage reported around the end of its month.
    this.schema.raw(`
      create index usage_events_late_any_zone on usage_events (at)
      where created_at >= (date_trunc('month', at at time zone 'UTC' - interval '12 hours')
        + interval '1 month' - interval '14 hours') at time zone 'UTC'`)
  }

  async down() {
    this.schema.raw('drop index usage_events_late_any_zone')
  }
}
