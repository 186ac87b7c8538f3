import { Head, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { Link } from '~/components/link'
import { Table, type Column } from '~/components/list/table'
import type { WithSharedProps } from '~/types'
import type { ServicesPage } from '#catalog/transformers/page_props'
import { Money } from '@ui/money'
import { useRegion } from '@ui/region'
import { PageHeader } from '@ui/page_header'
import { statusLabel } from '@ui/status_label'
import styles from './services.module.css'

type Offer = ServicesPage['servers'][number]

function specificationText(offer: Offer, name: string) {
  const specification = offer.specifications[name]
  return specification
    ? [specification.value, specification.unit, specification.type].filter(Boolean).join(' ')
    : '-'
}

/** Shows prices in the region's currency (docs/product.md, "Money"). */
export default function Services({ servers, prices, included, feePercent }: ServicesPage) {
  const { name: currency } = useRegion()
  const fee = Number(feePercent) > 0 ? ` Paying by mobile money adds ${feePercent}%.` : ''
  const { dollarRate, user } = usePage<WithSharedProps>().props
  const price = (offer: Offer, period: string) => {
    const periodPrice = offer.pricing.find((entry) => entry.period === period)
    return periodPrice ? <Money amount={periodPrice.price} rate={dollarRate} /> : '-'
  }
  const columns: Column<Offer>[] = [
    {
      label: 'Package',
      cell: (row) => (row.sold_out ? `${row.name} (sold out)` : row.name),
      phone: 'title',
    },
    { label: 'Series', cell: (row) => statusLabel(row.server_series), phone: 'hidden' },
    { label: 'Type', cell: (row) => statusLabel(row.instance_type), phone: 'second' },
    { label: 'vCPU', cell: (row) => specificationText(row, 'vcpu'), phone: 'hidden' },
    { label: 'Memory', cell: (row) => specificationText(row, 'ram'), phone: 'second' },
    { label: 'Storage', cell: (row) => specificationText(row, 'storage'), phone: 'second' },
    { label: 'Bandwidth', cell: (row) => specificationText(row, 'bandwidth'), phone: 'hidden' },
    {
      label: 'Month',
      cell: (row) => price(row, 'month'),
      align: 'right',
      mono: true,
      phone: 'aside',
    },
    {
      label: 'Year',
      cell: (row) => price(row, 'year'),
      align: 'right',
      mono: true,
      phone: 'hidden',
    },
  ]
  const used = [
    {
      label: 'Vault storage above the included amount',
      unit: 'GB per month',
      amount: prices.storage,
    },
    { label: 'Vault bandwidth above the included amount', unit: 'GB', amount: prices.bandwidth },
    { label: 'Vault requests', unit: '1,000 requests', amount: pricePerThousand(prices.request) },
    { label: 'Emails', unit: '1,000 emails', amount: pricePerThousand(prices.mail) },
  ]
  const usedColumns: Column<(typeof used)[number]>[] = [
    { label: 'Service', cell: (row) => row.label, phone: 'title' },
    { label: 'Unit', cell: (row) => row.unit, phone: 'second' },
    {
      label: 'Price',
      align: 'right',
      mono: true,
      phone: 'aside',
      cell: (row) => <Money amount={row.amount} rate={dollarRate} />,
    },
  ]

  return (
    <div className={user ? undefined : styles.page}>
      <Head title="Services" />
      <PageHeader
        title="Services"
        hint={
          Number(dollarRate)
            ? `Prices are in ${currency}, at today’s exchange rate. You pay monthly or yearly.`
            : 'Prices are not available right now. Nothing can be ordered until they are.'
        }
      />
      <h2>Servers</h2>
      {servers.length ? (
        <Table label="Servers" columns={columns} rows={servers} rowKey={(row) => row.name} />
      ) : (
        <p className={styles.note}>No packages are available right now.</p>
      )}
      {servers.some((row) => row.sold_out) && (
        <p className={styles.note}>
          Sold out: no host has enough free vCPUs, memory or storage for this package now. You can
          order it again once there is capacity.
        </p>
      )}
      <h2>Vault and email</h2>
      <Table
        label="Vault and email"
        columns={usedColumns}
        rows={used}
        rowKey={(row) => row.label}
      />
      <p className={styles.note}>
        {`Every vault includes ${included.storageGb} GB of storage and ${included.bandwidthGb} GB of bandwidth a month.${fee}`}
      </p>
      {!user && (
        <div className={styles.next}>
          <Button component={Link} href="/login?action=get-started">
            Get Started
          </Button>
        </div>
      )}
    </div>
  )
}

/** Returns the price of a thousand units. The price of a single unit would have too many decimals. */
function pricePerThousand(price: string) {
  const [whole, rest = ''] = price.split('.')
  const digits = rest.padEnd(3, '0')
  const left = `${whole}${digits.slice(0, 3)}`.replace(/^0+(?=\d)/, '')
  return digits.length > 3 ? `${left}.${digits.slice(3)}` : left
}
