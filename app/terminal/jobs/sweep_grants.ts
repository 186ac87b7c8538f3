import { defineChore } from '#core/schedule'
import db from '@adonisjs/lucid/services/db'

/** Grants that can no longer be used are forgotten. */
export const sweepGrants = defineChore({
  name: 'terminal.sweep-grants',
  every: 600,
  async run() {
    await db.from('terminal_grants').where('expires_at', '<', db.raw('now()')).delete()
  },
})
