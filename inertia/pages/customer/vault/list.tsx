import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { rowLinkColumn, RowName } from '~/components/list/columns'
import { List } from '~/components/list/list'
import { ApiDocumentation } from '~/components/vault/api_documentation'
import { CreateVaultForm } from '~/components/vault/create_vault_form'
import { requestsInLatestMonth } from '~/components/vault/requests_in_latest_month'
import { CopyableAccessKeyId, MaskedSecretKey } from '~/components/vault/masked_secret_key'
import type { VaultListPage, VaultRow } from '~/components/vault/types'

export default function Vaults(page: VaultListPage) {
  const { vaults, vaultStatus, accessKeyId, vaultHost, full } = page
  const [adding, setAdding] = useState(false)
  const add = (
    <ButtonWithDisabledReason reason={full} onClick={() => setAdding(true)}>
      Add New
    </ButtonWithDisabledReason>
  )
  const href = ({ id, status }: VaultRow) =>
    status === 'deleted' ? null : (`/vault/${id}` as const)

  return (
    <>
      <Head title="Vault" />
      <PageHeader
        title="Vault (Storage Service)"
        hint="Object storage for your sites and apps, with an API, S3 access and a CDN address."
        action={add}
      />
      <ApiDocumentation vaultHost={vaultHost} accessKeyId={accessKeyId} />
      <List<VaultRow>
        path="/vault/list"
        name="vault"
        answer={{ ...page, rows: vaults, statuses: vaultStatus }}
        props={['vaults', 'vaultStatus', 'full']}
        live={['vault']}
        label="Vaults"
        all="All Vaults"
        rowKey={({ id }) => id}
        rowHref={href}
        struck={({ status }) => status === 'deleted'}
        searchLabel="Search by name"
        empty={{
          title: 'No vaults yet',
          hint: 'Create a vault, then open it to upload files. You can also upload through the API or with any S3 tool.',
          action: add,
        }}
        columns={[
          {
            label: 'Name',
            sort: 'name',
            phone: 'title',
            cell: (row) => (
              <>
                <RowName href={href(row)} name={row.name} />
                {row.status !== 'active' && (
                  <StatusBadge status={row.status} label={vaultStatus[row.status]} />
                )}
              </>
            ),
          },
          {
            label: 'Requests',
            sort: 'requests',
            width: '110px',
            align: 'right',
            mono: true,
            phone: 'aside',
            phoneLabel: true,
            cell: ({ request_count: counts }) => requestsInLatestMonth(counts),
          },
          {
            label: 'Access Key Id',
            width: '140px',
            cell: () => <CopyableAccessKeyId value={accessKeyId} />,
          },
          {
            label: 'Secret Key',
            width: '150px',
            phone: 'second',
            cell: ({ id, secret_key: masked }) => (
              <MaskedSecretKey from="/vault/secret" id={id} masked={masked} />
            ),
          },
          {
            label: 'Created',
            sort: 'created',
            width: '130px',
            phone: 'second',
            cell: ({ created_at: at }) => <DateText value={at} />,
          },
          rowLinkColumn({ label: 'Manage', href, nameOf: ({ name }) => name }),
        ]}
      />
      <Dialog opened={adding} onClose={() => setAdding(false)} title="Add new vault">
        {adding && <CreateVaultForm onDone={() => setAdding(false)} />}
      </Dialog>
    </>
  )
}
