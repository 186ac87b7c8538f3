import { Head, usePage } from '@inertiajs/react'
import { SimpleGrid, TextInput } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { FormFrame } from '@ui/form_frame'
import { withSymbol } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { currencyLabel, useRegion } from '@ui/region'
import { RegionalSettings } from '~/components/billing/regional_settings'
import type { BillingSettingsPage } from '~/components/billing/types'
import { useApiForm } from '~/components/form/use_api_form'
import { LinkButton } from '~/components/link_button'
import { Table } from '~/components/list/table'
import { useLiveProps } from '~/components/live/use_live_props'
import type { SharedProps } from '~/types'

/** Props to reload after a save. The last two are sent with every page. */
const RELOADED_PROPS = ['rates', 'settings', 'regional', 'today', 'region', 'dollarRate']

export default function BillingSettings({ rates, today, settings, regional }: BillingSettingsPage) {
  const region = useRegion()
  const { unavailable } = usePage<SharedProps>().props
  const barred = unavailable?.['billing.manage'] ?? null
  useLiveProps(['dollar_rate'], RELOADED_PROPS)
  const rate = useApiForm({
    to: '/admin/billing/settings/rate/store',
    send: (fields) => ({ rate: fields.get('rate'), effective_from: fields.get('effective_from') }),
    onDone: () => {},
  })
  const form = useApiForm({
    to: '/admin/billing/settings/update',
    send: (fields) => ({
      merchant_account: fields.get('merchant_account'),
      seller_name: fields.get('seller_name'),
      seller_address: fields.get('seller_address'),
      seller_bin: fields.get('seller_bin') || null,
      seller_vat: fields.get('seller_vat') || null,
    }),
    onDone: () => {},
  })
  return (
    <>
      <Head title="Billing settings" />
      <PageHeader
        title="Billing settings"
        hint="A bill keeps the rate of its billing date. A new rate applies to prices and to new bills."
        action={
          <LinkButton variant="default" href="/admin/autocourier-billing/events">
            Auto Courier webhooks
          </LinkButton>
        }
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <section aria-labelledby="rate">
          <h2 id="rate">Dollar rate</h2>
          <FormFrame form={rate} submit="Set rate" buttons="left" reason={barred}>
            <TextInput
              label={`${currencyLabel(region)} for one dollar`}
              required
              inputMode="decimal"
              defaultValue={rates.find((one) => one.effective_from <= today)?.rate}
              {...rate.field('rate')}
            />
            <TextInput
              label="Valid from"
              type="date"
              required
              min={today}
              defaultValue={today}
              {...rate.field('effective_from')}
            />
          </FormFrame>
          <h3>All rates</h3>
          <Table
            label="All dollar rates"
            rows={rates}
            rowKey={(one) => one.effective_from}
            columns={[
              {
                label: 'Valid from',
                phone: 'title',
                cell: (one) => <DateText value={one.effective_from} />,
              },
              {
                label: 'Rate',
                align: 'right',
                mono: true,
                phone: 'aside',
                cell: (one) => withSymbol(one.rate, region),
              },
              { label: 'Set by', phone: 'second', cell: (one) => one.by ?? 'Berth' },
            ]}
          />
        </section>
        <section aria-labelledby="seller">
          <h2 id="seller">Payments and bills</h2>
          <FormFrame form={form} submit="Save" buttons="left" quiet reason={barred}>
            <TextInput
              label="Merchant account"
              description="The number that customers send money to"
              required
              defaultValue={settings.merchant_account}
              {...form.field('merchant_account')}
            />
            <TextInput
              label="Seller name"
              description="Printed on new bills"
              required
              defaultValue={settings.seller_name}
              {...form.field('seller_name')}
            />
            <TextInput
              label="Seller address"
              defaultValue={settings.seller_address}
              {...form.field('seller_address')}
            />
            <TextInput
              label="BIN"
              description="Business identification number of the seller, 13 digits"
              inputMode="numeric"
              defaultValue={settings.seller_bin}
              {...form.field('seller_bin')}
            />
            <TextInput
              label="VAT (%)"
              description="All prices include this percentage. It is shown on new bills."
              inputMode="decimal"
              defaultValue={settings.seller_vat}
              {...form.field('seller_vat')}
            />
          </FormFrame>
        </section>
        <RegionalSettings regional={regional} barred={barred} />
      </SimpleGrid>
    </>
  )
}
