import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Group } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { CustomerCell } from '~/components/customer_cell'
import { List } from '~/components/list/list'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { formatBytes } from '~/components/metrics/format_units'
import { useApiCall } from '~/components/use_api_call'
import { countWithNoun } from '../../../../packages/text/count_with_noun'
import { MoveVaultDialog, storeLabels } from '~/components/vault/move_vault_dialog'
import { requestsInLatestMonth } from '~/components/vault/requests_in_latest_month'
import { SuspendDialog } from '~/components/suspend_dialog'
import type { AdminVaultListPage, AdminVaultRow } from '~/components/vault/types'
import type { SharedProps } from '~/types'

export default function Vaults(page: AdminVaultListPage) {
  const { vaults, vaultStatus } = page
  const { unavailable } = usePage<SharedProps>().props
  const [selectedVault, ask] = useState<AdminVaultRow | null>(null)
  const [moved, move] = useState<AdminVaultRow | null>(null)
  const { run } = useApiCall()
  const barred = unavailable?.['vaults.change'] ?? null

  return (
    <>
      <Head title="Vault" />
      <PageHeader title="Vault" hint="The vaults of all customers, newest first." />
      <List<AdminVaultRow>
        path="/admin/vault/list"
        name="vault"
        answer={{ ...page, rows: vaults, statuses: vaultStatus }}
        props={['vaults', 'vaultStatus']}
        live={['vault']}
        label="Vaults"
        all="All Vaults"
        rowKey={({ id }) => id}
        struck={({ status }) => status === 'deleted'}
        searchLabel="Search by name, key or customer"
        empty={{
          title: 'No vaults yet',
          hint: 'Vaults appear here as soon as a customer creates one.',
        }}
        columns={[
          {
            label: 'Name',
            sort: 'name',
            phone: 'title',
            cell: ({ name, key }) => (
              <TwoLineCell second={key}>
                <span title={name}>{name}</span>
              </TwoLineCell>
            ),
          },
          {
            label: 'Owner',
            sort: 'customer',
            width: '20%',
            phone: 'second',
            cell: ({ customer }) => <CustomerCell customer={customer} />,
          },
          {
            label: 'Size',
            sort: 'size',
            width: '120px',
            align: 'right',
            mono: true,
            phone: 'second',
            cell: ({ bytes: size, store, to_move: left }) => (
              <TwoLineCell
                second={left ? `${countWithNoun(left, 'object')} left to move` : storeLabels[store]}
              >
                {formatBytes(size)}
              </TwoLineCell>
            ),
          },
          {
            label: 'Objects',
            sort: 'objects',
            width: '90px',
            align: 'right',
            mono: true,
            cell: ({ objects, damaged }) =>
              damaged ? (
                <TwoLineCell second={`${damaged} damaged`}>{objects}</TwoLineCell>
              ) : (
                objects
              ),
          },
          {
            label: 'Requests',
            sort: 'requests',
            width: '105px',
            align: 'right',
            mono: true,
            cell: ({ request_count: counts }) => requestsInLatestMonth(counts),
          },
          {
            label: 'Status',
            sort: 'status',
            width: '120px',
            phone: 'aside',
            cell: ({ status, status_reason: reason }) => (
              <span data-keep title={reason ?? undefined}>
                <StatusBadge status={status} label={vaultStatus[status]} />
              </span>
            ),
          },
          {
            label: 'Action',
            align: 'right',
            width: '170px',
            phone: 'action',
            cell: (row) =>
              row.status === 'deleted' ? null : (
                <Group gap="xs" justify="flex-end" wrap="nowrap" data-keep>
                  <ButtonWithDisabledReason
                    size="xs"
                    variant="default"
                    reason={barred}
                    aria-label={`Move ${row.name}`}
                    onClick={() => move(row)}
                  >
                    Move
                  </ButtonWithDisabledReason>
                  <ButtonWithDisabledReason
                    size="xs"
                    variant="default"
                    reason={barred}
                    aria-label={`${row.status === 'active' ? 'Suspend' : 'Resume'} ${row.name}`}
                    onClick={() => ask(row)}
                  >
                    {row.status === 'active' ? 'Suspend' : 'Resume'}
                  </ButtonWithDisabledReason>
                </Group>
              ),
          },
        ]}
      />
      {moved && <MoveVaultDialog vault={moved} onClose={() => move(null)} />}
      {selectedVault?.status === 'active' && (
        <SuspendDialog
          to="/admin/vault/suspend"
          id={selectedVault.id}
          name={selectedVault.name}
          submit="Suspend vault"
          consequences="Addresses, links, keys and uploads stop working. The files are kept, and you can resume the vault at any time."
          onClose={() => ask(null)}
        />
      )}
      {selectedVault?.status === 'suspended' && (
        <ConfirmDialog
          opened
          title={`Resume ${selectedVault.name}`}
          question={`Resume ${selectedVault.name}? The vault works again, unless its account is suspended.`}
          confirm="Resume vault"
          onClose={() => ask(null)}
          onConfirm={() => run('/admin/vault/resume', { id: selectedVault.id }, 'successes')}
        />
      )}
    </>
  )
}
