import { Fragment, useState } from 'react'
import { Table, UnstyledButton } from '@mantine/core'
import { Money } from '@ui/money'
import { statusWords } from '@ui/words'
import type { ServiceRow } from '~/components/billing/types'

interface ChargesProps {
  services: ServiceRow[]
  /** taka, of each group */
  totals: { servers: string; vaults: string }
}

/** What a bill is made of, in two groups that open and close (product, "Billing"). */
export function Charges({ services, totals }: ChargesProps) {
  const [closed, setClosed] = useState<string[]>([])
  const groups = [
    {
      label: 'Server Instances',
      total: totals.servers,
      rows: services.filter(({ type }) => type === 'server_instance'),
    },
    {
      label: 'Vaults',
      total: totals.vaults,
      rows: services.filter(({ type }) => type !== 'server_instance'),
    },
  ]
  const toggle = (label: string) =>
    setClosed(closed.includes(label) ? closed.filter((one) => one !== label) : [...closed, label])

  return (
    <section aria-labelledby="charges">
      <h2 id="charges">Charges by service</h2>
      <Table.ScrollContainer minWidth={340}>
        <Table aria-label="Charges by service">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Service</Table.Th>
              <Table.Th>Type</Table.Th>
              <Table.Th>Period</Table.Th>
              <Table.Th ta="right">Cost</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map(({ label, total, rows }) => (
              <Fragment key={label}>
                <Table.Tr>
                  <Table.Th colSpan={3} scope="rowgroup">
                    <UnstyledButton
                      fw={600}
                      fz="sm"
                      aria-expanded={!closed.includes(label)}
                      onClick={() => toggle(label)}
                    >
                      {closed.includes(label) ? '▸' : '▾'} {label} ({rows.length})
                    </UnstyledButton>
                  </Table.Th>
                  <Table.Td ta="right" fw={600}>
                    <Money amount={total} />
                  </Table.Td>
                </Table.Tr>
                {!closed.includes(label) &&
                  rows.map((row) => (
                    <Table.Tr key={row.id}>
                      <Table.Td>{row.name}</Table.Td>
                      <Table.Td>{statusWords(row.bill_type)}</Table.Td>
                      <Table.Td>{statusWords(row.billing_period)}</Table.Td>
                      <Table.Td ta="right">
                        <Money amount={row.cost_taka} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
              </Fragment>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  )
}
