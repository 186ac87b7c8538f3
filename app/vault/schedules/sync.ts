import { defineSchedule } from '#core/schedules/schedules'
import { syncAllVaults } from '#vault/actions/sync_vaults'

export default defineSchedule({
  name: 'vault.sync',
  label: 'Keeps vaults as the console has them, and counts what is in them',
  every: 60,
  run: syncAllVaults,
})
