import { addResources, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { registerSoldResource } from '#catalog/public'
import { accountIdOf } from '#core/contracts/actor'
import { defineModule } from '#core/modules'
import { newestMatching } from '#core/global_search'
import { containsIndexed } from '#core/list_page'
import { bindCopyDestinations } from '#databases/public'
import { syncVaultsOfAccount } from '#vault/actions/sync_vaults'
import { auditMessages } from '#vault/audit_messages'
import { databaseCopies } from '#vault/database_copies'
import Vault from '#vault/models/vault'
import { gauges, health } from '#vault/monitoring'
import { countVaults, sumVaultSizes, listVaultsOfAccount } from '#vault/queries/vaults'
import sync from '#vault/schedules/sync'
import usage from '#vault/schedules/usage'

declare module '#core/modules' {
  interface AuditSubjects {
    vault: true
  }
  interface StaffAbilities {
    'vaults.change': true
  }
  interface Meters {
    'vault.requests': true
    'vault.bytes_out': true
    'vault.byte_hours': true
  }
}

const VAULTS_PAGE = '/vault/list'
const entry = { icon: 'cloud', order: 60 } as const

export default defineModule({
  name: 'vault',
  routes: () => import('#vault/routes'),
  schedules: [sync, usage],
  gauges,
  health,
  menu: {
    customer: [
      { ...entry, label: 'Vault (Storage Service)', href: VAULTS_PAGE, needs: 'machines.use' },
    ],
    admin: [{ ...entry, label: 'Vault', href: `/admin${VAULTS_PAGE}` }],
  },
  dashboard: [
    {
      label: 'Total Vaults',
      href: VAULTS_PAGE,
      order: 40,
      count: countVaults,
      bytes: sumVaultSizes,
    },
  ],
  find: [
    {
      kind: 'Vault',
      audience: 'customer',
      needs: 'machines.use',
      async of(actor, words, most) {
        const live = Vault.live().where({ accountId: accountIdOf(actor) })
        const rows = await newestMatching(live, containsIndexed('name', 'key')(words), most)
        return rows.map(({ id, name, key }) => ({
          name,
          detail: key,
          href: `/vault/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { vault: 'Vaults' },
  auditWords: auditMessages,
  staffAbilities: { 'vaults.change': 'Only administrators can suspend vaults.' },
  sampleData: () => import('#vault/sample_data'),
  bind() {
    bindCopyDestinations(databaseCopies)
    registerSoldResource('vault', {
      name: (id) => `(select name from vaults where id = ${id})`,
      delivered: () => 'true',
    })
    addResources({ label: 'Vaults', of: listVaultsOfAccount })
    onAccountSuspended(syncVaultsOfAccount)
    onAccountResumed(syncVaultsOfAccount)
  },
})
