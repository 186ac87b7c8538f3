import { REGIONAL_SETTINGS_TOPIC } from '#core/settings/load_regional_settings'
import { defineSchedule } from '#core/schedules/schedules'
import { syncAllVaults } from '#vault/actions/sync_vaults'

export default defineSchedule({
  name: 'vault.sync',
  label: 'Updates vaults in the vault service and counts their objects',
  every: 60,
  wakeTopic: REGIONAL_SETTINGS_TOPIC,
  run: syncAllVaults,
})
