import { defineSchedule } from '#core/schedules/schedules'
import db from '@adonisjs/lucid/services/db'

export default defineSchedule({
  name: 'terminal.sweep-grants',
  label: 'Deletes expired permissions to open terminals',
  every: 600,
  async run() {
    await db.from('terminal_grants').where('expires_at', '<', db.raw('now()')).delete()
  },
})
