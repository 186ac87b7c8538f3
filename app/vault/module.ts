import { registerAccountResourceKind, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { registerSoldResourceKind } from '#catalog/public'
import { accountIdOf } from '#core/contracts/actor'
import { defineModule } from '#core/modules'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { bindBackupCopyDestinationProvider } from '#databases/public'
import { syncVaultsOfAccount } from '#vault/actions/sync_vaults'
import { auditMessages } from '#vault/audit_messages'
import { vaultBackupCopyDestinationProvider } from '#vault/backup_copy_destination_provider'
import Vault from '#vault/models/vault'
import { gauges, health } from '#vault/monitoring'
import {
  countVaultsOfAccount,
  sumVaultSizesOfAccount,
  listVaultsOfAccount,
} from '#vault/queries/vaults'
import sync from '#vault/schedules/sync_vaults'
import usage from '#vault/schedules/record_vault_usage'

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
      count: countVaultsOfAccount,
      bytes: sumVaultSizesOfAccount,
    },
  ],
  find: [
    {
      kind: 'Vault',
      needs: 'machines.use',
      async of(actor, text, limit) {
        const isStaff = actor.audience === 'staff'
        const live = Vault.live()
        const rows = await queryNewestMatching(
          isStaff ? live : live.where({ accountId: accountIdOf(actor) }),
          containsOrStartsWith('name', 'key')(text),
          limit
        )
        return rows.map(({ id, name, key }) => ({
          name,
          detail: key,
          href: isStaff
            ? (`/admin/vault/list?search=${encodeURIComponent(key)}` as const)
            : (`/vault/${id}` as const),
        }))
      },
    },
  ],
  auditSubjects: { vault: 'Vaults' },
  auditMessages,
  staffAbilities: { 'vaults.change': 'Only administrators can suspend vaults.' },
  sampleData: () => import('#vault/sample_data'),
  bind() {
    bindBackupCopyDestinationProvider(vaultBackupCopyDestinationProvider)
    registerSoldResourceKind('vault', {
      name: (id) => `(select name from vaults where id = ${id})`,
      delivered: () => 'true',
    })
    registerAccountResourceKind({ label: 'Vaults', of: listVaultsOfAccount })
    onAccountSuspended(syncVaultsOfAccount)
    onAccountResumed(syncVaultsOfAccount)
  },
})
