import { addThings, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { sellThings } from '#catalog/public'
import { accountIdOf } from '#core/contracts/actor'
import { defineDomain } from '#core/domains'
import { newestWith } from '#core/find'
import { has } from '#core/list_page'
import { keepCopiesIn } from '#databases/public'
import { followAccount } from '#vault/actions/follow_vaults'
import { auditWords } from '#vault/audit_words'
import { databaseCopies } from '#vault/database_copies'
import Vault from '#vault/models/vault'
import { gauges, health } from '#vault/monitoring'
import { countVaults, sizeOfVaults, vaultsOwnedBy } from '#vault/queries/vaults'
import sync from '#vault/schedules/sync'
import usage from '#vault/schedules/usage'

declare module '#core/domains' {
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

export default defineDomain({
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
      bytes: sizeOfVaults,
    },
  ],
  find: [
    {
      ...{ kind: 'Vault', audience: 'customer', needs: 'machines.use' },
      async of(actor, words, most) {
        const live = Vault.live().where({ accountId: accountIdOf(actor) })
        const rows = await newestWith(live, has('name', 'key')(words), most)
        return rows.map(({ id, name, key }) => ({
          ...{ name, detail: key },
          href: `/vault/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { vault: 'Vaults' },
  auditWords,
  staffAbilities: { 'vaults.change': 'Only administrators can suspend vaults.' },
  sampleData: () => import('#vault/sample_data'),
  bind() {
    keepCopiesIn(databaseCopies)
    sellThings('vault', {
      name: (id) => `(select name from vaults where id = ${id})`,
      delivered: () => 'true',
    })
    addThings({ label: 'Vaults', of: vaultsOwnedBy })
    onAccountSuspended(followAccount)
    onAccountResumed(followAccount)
  },
})
