import { useState } from 'react'
import { NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import type { BillingSettingsPage } from '~/components/billing/types'
import { useApiForm } from '~/components/form/use_api_form'

const PRICES = [
  { name: 'storage', label: 'GB in a vault per month ($)' },
  { name: 'bandwidth', label: 'GB sent by a vault ($)' },
  { name: 'request', label: 'Request to a vault ($)' },
  { name: 'mail', label: 'Email ($)' },
] as const

interface RegionalSettingsProps extends Pick<BillingSettingsPage, 'regional'> {
  /** Reason why this person cannot change the settings. */
  barred: string | null
}

export function RegionalSettings({ regional, barred }: RegionalSettingsProps) {
  const [currency, setCurrency] = useState(regional.currency)
  const code = currency.trim().toUpperCase()
  const form = useApiForm({
    to: '/admin/billing/settings/regional/update',
    send: (fields) => ({
      currency: fields.get('currency'),
      symbol: fields.get('symbol'),
      digits: Number(fields.get('digits')),
      rate: fields.get('rate') || null,
      time_zone: fields.get('time_zone'),
      fee_percent: fields.get('fee_percent'),
      days_to_pay: fields.get('days_to_pay'),
      prices: Object.fromEntries(PRICES.map(({ name }) => [name, fields.get(`prices.${name}`)])),
    }),
    onDone: () => {},
  })
  const calendar = regional.billing_time_zone
  return (
    <section aria-labelledby="region">
      <h2 id="region">Currency, time zone and prices</h2>
      <FormFrame form={form} submit="Save currency and prices" buttons="left" quiet reason={barred}>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md" verticalSpacing="md">
          <TextInput
            label="Currency"
            required
            maxLength={3}
            value={currency}
            onChange={({ currentTarget: { value } }) => setCurrency(value)}
            {...form.field('currency')}
          />
          <TextInput
            label="Symbol"
            description={
              regional.document_symbol === regional.symbol
                ? undefined
                : `Documents print ${regional.document_symbol}, because their font has no ${regional.symbol}.`
            }
            required
            defaultValue={regional.symbol}
            {...form.field('symbol')}
          />
          <NativeSelect
            label="Decimal places"
            data={['0', '1', '2']}
            defaultValue={String(regional.digits)}
            {...form.field('digits')}
          />
        </SimpleGrid>
        {code !== regional.currency && (
          <TextInput
            label={`Price of one dollar in ${code || 'the new currency'}`}
            description="A change of currency replaces all dollar rates. The currency cannot change after the first bill."
            required
            inputMode="decimal"
            {...form.field('rate')}
          />
        )}
        <TextInput
          label="Time zone"
          description={
            calendar
              ? `For times on pages, in emails and in documents. Billing days and months stay in ${calendar}, because services were already charged in it.`
              : 'For times on pages, in emails and in documents, and for billing days and months'
          }
          required
          defaultValue={regional.time_zone}
          {...form.field('time_zone')}
        />
        <TextInput
          label="Mobile money charge (%)"
          description="Added to payments of new bills. 0 for none."
          required
          inputMode="decimal"
          defaultValue={regional.fee_percent}
          {...form.field('fee_percent')}
        />
        <TextInput
          label="Days to pay"
          description="From the billing date of new bills"
          required
          inputMode="numeric"
          defaultValue={String(regional.days_to_pay)}
          {...form.field('days_to_pay')}
        />
        <h3>Prices of usage</h3>
        <Text size="sm" c="dimmed">
          In dollars. A change applies to all usage that is not charged yet, which includes the
          whole current month.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
          {PRICES.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              required
              inputMode="decimal"
              defaultValue={regional.prices[name]}
              {...form.field(`prices.${name}`)}
            />
          ))}
        </SimpleGrid>
      </FormFrame>
    </section>
  )
}
