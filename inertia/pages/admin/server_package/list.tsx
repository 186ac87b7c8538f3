import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Button, VisuallyHidden } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { statusLabel } from '@ui/status_label'
import type { FilterField } from '~/components/list/filters'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { specificationItems } from '~/components/server_instance/specifications_list'
import { PackageForm } from '~/components/server_package/package_form'
import type { PackageListPage, PackageRow } from '~/components/server_package/types'
import { PackageVersions } from '~/components/server_package/package_versions'
import type { SharedProps } from '~/types'
import styles from './list.module.css'

const filters = [
  choiceFilter('type', 'Type', ['regular', 'shared']),
  choiceFilter('series', 'Series', ['bronze', 'silver', 'gold']),
]

function choiceFilter(name: string, label: string, values: string[]): FilterField {
  const options = values.map((value) => ({ value, label: statusLabel(value) }))
  return { kind: 'choice', name, label, all: 'Any', options }
}

export default function ServerPackageList(page: PackageListPage) {
  const { packages, packageStatus, mayManage } = page
  const { dollarRate } = usePage<SharedProps>().props
  const [editing, setEditing] = useState<PackageRow | 'new' | null>(null)
  const [shown, setShown] = useState<PackageRow | null>(null)
  const price = ({ pricing }: PackageRow, period: 'month' | 'year') => {
    const periodPrice = pricing.find((one) => one.period === period)
    return periodPrice ? <Money amount={periodPrice.price} rate={dollarRate} /> : '-'
  }
  const columns: Column<PackageRow>[] = [
    {
      label: 'Name',
      sort: 'name',
      width: '22%',
      phone: 'title',
      cell: (row) => (
        <>
          <strong title={row.name}>{row.name}</strong>
          <Button
            className={styles.version}
            size="compact-xs"
            variant="subtle"
            onClick={() => setShown(row)}
          >
            Version {row.version}
            <VisuallyHidden> of {row.name}</VisuallyHidden>
          </Button>
        </>
      ),
    },
    {
      label: 'Type',
      sort: 'type',
      width: '128px',
      phone: 'second',
      cell: ({ instance_type: type, server_series: series }) =>
        `${statusLabel(type)} · ${statusLabel(series)}`,
    },
    {
      label: 'Specifications',
      phone: 'hidden',
      cell: ({ specifications }) =>
        specificationItems(specifications)
          .slice(0, 3)
          .map(({ text }) => text)
          .join(' · '),
    },
    {
      label: 'Per month',
      sort: 'month',
      width: '106px',
      align: 'right',
      phone: 'aside',
      cell: (row) => price(row, 'month'),
    },
    {
      label: 'Per year',
      sort: 'year',
      width: '106px',
      align: 'right',
      phone: 'hidden',
      cell: (row) => price(row, 'year'),
    },
    {
      label: 'Instances',
      width: '86px',
      align: 'right',
      phone: 'hidden',
      cell: ({ instances }) => instances,
    },
    {
      label: 'Offered',
      sort: 'offered',
      width: '84px',
      phone: 'hidden',
      cell: ({ offered, room }) =>
        !offered ? 'No' : room.allowed ? 'Yes' : <span title={room.reason!}>Sold out</span>,
    },
    {
      label: 'Action',
      width: '66px',
      align: 'right',
      phone: 'action',
      cell: (row) => (
        <ButtonWithDisabledReason
          size="compact-sm"
          variant="subtle"
          reason={mayManage.reason}
          aria-label={`Edit ${row.name}`}
          onClick={() => setEditing(row)}
        >
          Edit
        </ButtonWithDisabledReason>
      ),
    },
  ]

  return (
    <>
      <Head title="Server Packages" />
      <PageHeader
        title="Server Packages"
        hint="Packages that customers can order. Instances keep their version until you resize them."
        action={
          <ButtonWithDisabledReason reason={mayManage.reason} onClick={() => setEditing('new')}>
            Add Package
          </ButtonWithDisabledReason>
        }
      />
      <List
        path="/admin/server-package/list"
        name="server-package"
        label="Server Packages"
        answer={{ ...page, rows: packages, statuses: packageStatus }}
        props={['packages', 'packageStatus']}
        live={['server_package', 'host_instance', 'server_instance']}
        rowKey={({ id }) => id}
        all="All Packages"
        columns={columns}
        filters={filters}
        empty={{
          title: 'No packages yet',
          hint: 'Customers cannot order until you add a package.',
        }}
      />
      <Dialog
        opened={editing !== null}
        onClose={() => setEditing(null)}
        title={editing === 'new' ? 'Add Package' : `Edit ${editing?.name ?? ''}`}
        size={560}
      >
        {editing && (
          <PackageForm
            option={editing === 'new' ? null : editing}
            onDone={() => setEditing(null)}
          />
        )}
      </Dialog>
      <Dialog
        opened={shown !== null}
        onClose={() => setShown(null)}
        title={`Versions of ${shown?.name ?? ''}`}
        size={560}
      >
        {shown && <PackageVersions versions={shown.versions} />}
      </Dialog>
    </>
  )
}
