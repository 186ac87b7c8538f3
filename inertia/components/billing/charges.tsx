import { useState } from 'react'
import { Group, UnstyledButton } from '@mantine/core'
import { Money } from '@ui/money'
import { statusLabel } from '@ui/status_label'
import type { BillChargeRow } from '~/components/billing/types'
import { Table } from '~/components/list/table'

interface ChargesProps {
  services: BillChargeRow[]
  /** Totals of the groups, in taka. */
  totals: { servers: string; vaults: string }
}

/** Shows charges in two groups. "Vaults" contains everything except server instances. */
export function Charges({ services, totals }: ChargesProps) {
  const isServer = ({ type }: BillChargeRow) => type === 'server_instance'
  return (
    <section aria-labelledby="charges">
      <h2 id="charges">Charges by service</h2>
      <ChargeGroup
        label="Server Instances"
        total={totals.servers}
        rows={services.filter(isServer)}
      />
      <ChargeGroup
        label="Vaults"
        total={totals.vaults}
        rows={services.filter((row) => !isServer(row))}
      />
    </section>
  )
}

function ChargeGroup({
  label,
  total,
  rows,
}: {
  label: string
  total: string
  rows: BillChargeRow[]
}) {
  const [opened, open] = useState(true)
  return (
    <div>
      <UnstyledButton w="100%" py="xs" aria-expanded={opened} onClick={() => open(!opened)}>
        <Group justify="space-between" fw={600}>
          <span>
            <span aria-hidden>{opened ? '▾' : '▸'}</span> {label} ({rows.length})
          </span>
          <Money amount={total} />
        </Group>
      </UnstyledButton>
      {opened && rows.length > 0 && (
        <Table<BillChargeRow>
          label={label}
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            { label: 'Name', phone: 'title', cell: ({ name }) => name },
            {
              label: 'Type',
              phone: 'second',
              cell: ({ bill_type: type }) => statusLabel(type),
            },
            {
              label: 'Period',
              width: '130px',
              phone: 'second',
              cell: ({ billing_period: period }) => statusLabel(period),
            },
            {
              label: 'Cost',
              align: 'right',
              mono: true,
              width: '150px',
              phone: 'aside',
              cell: ({ cost_taka: taka }) => <Money amount={taka} />,
            },
          ]}
        />
      )}
    </div>
  )
}
