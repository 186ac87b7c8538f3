import { Alert, Checkbox, Group, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useApiForm } from '~/components/form/use_api_form'
import { FormFrame } from '@ui/form_frame'
import type { PackageRow, PackagePrice } from './types'
import { versionUsersLabel } from './package_versions'

interface PackageFormProps {
  /** Package to edit; null to create one. */
  option: PackageRow | null
  onDone: () => void
}

export function packageFromForm(form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const number = (name: string) => Number(text(name).replaceAll(',', ''))
  const price = (period: 'month' | 'year') => ({
    period,
    price: text(`${period}_price`),
    renew: text(`${period}_renew`) || text(`${period}_price`),
    billing_cycle: period === 'month' ? 1 : 12,
  })
  const processes = number('processes')
  return {
    name: text('name'),
    instance_type: text('instance_type'),
    server_series: text('server_series'),
    specifications: {
      vcpu: { value: number('vcpu') },
      ram: { value: number('ram'), unit: text('ram_unit') },
      storage: { value: number('storage'), unit: 'GB', type: text('storage_type') },
      bandwidth: { value: number('bandwidth'), unit: text('bandwidth_unit') },
      ...(processes ? { processes: { value: processes } } : {}),
      ...(form.get('backups') !== null ? { backups: { value: 'daily' } } : {}),
    },
    pricing: (['month', 'year'] as const).map(price).filter((one) => one.price !== ''),
    offered: form.get('offered') !== null,
    position: number('position'),
  }
}

/** Returns '' if renewals cost the same as the first period. */
export function renewalFieldValue({ price, renew }: Pick<PackagePrice, 'price' | 'renew'>) {
  return Number(renew) === Number(price) ? '' : renew
}

/** The server names fields by the structure of the request's JSON, such as `pricing.0.price`. */
export function errorsByField(
  errors: Record<string, string[]>,
  sent: Pick<ReturnType<typeof packageFromForm>, 'pricing'>
): Record<string, string[]> {
  const named = Object.entries(errors).map(([key, texts]) => {
    const [, index, price] = /^pricing\.(\d+)\.(price|renew)$/u.exec(key) ?? []
    if (price) return [`${sent.pricing[Number(index)]?.period}_${price}`, texts]
    if (key === 'pricing') return ['month_price', texts]
    const [, part, of] = /^specifications\.(\w+)\.(\w+)$/u.exec(key) ?? []
    if (part) return [of === 'type' ? 'storage_type' : part, texts]
    return [key, texts]
  })
  return Object.fromEntries(named)
}

/** After a change, existing instances keep their version until they are resized. */
export function PackageForm({ option, onDone }: PackageFormProps) {
  const form = useApiForm({
    to: option ? '/admin/server-package/update' : '/admin/server-package/store',
    send: (fields) => ({ ...(option && { id: option.id }), ...packageFromForm(fields) }),
    byField: errorsByField,
    onDone,
  })
  const specs = option?.specifications
  const usersLabel = option ? versionUsersLabel(option) : null
  const priceOf = (period: string) => option?.pricing.find((one) => one.period === period)
  const renewalOf = (period: string) => {
    const price = priceOf(period)
    return price && renewalFieldValue(price)
  }

  return (
    <FormFrame form={form} submit={option ? 'Save' : 'Add package'} onCancel={onDone}>
      {usersLabel && (
        <Alert color="blue" title={usersLabel}>
          If you change specifications or prices, new orders and resizes get version{' '}
          {option!.version + 1}.
        </Alert>
      )}
      <TextInput
        label="Name"
        required
        data-autofocus
        defaultValue={option?.name}
        {...form.field('name')}
      />
      <Group grow align="flex-start">
        <NativeSelect
          label="Instance type"
          data={[
            { value: 'regular', label: 'Regular' },
            { value: 'shared', label: 'Shared' },
          ]}
          defaultValue={option?.instance_type}
          {...form.field('instance_type')}
        />
        <NativeSelect
          label="Server series"
          data={[
            { value: 'bronze', label: 'Bronze' },
            { value: 'silver', label: 'Silver' },
            { value: 'gold', label: 'Gold' },
          ]}
          defaultValue={option?.server_series}
          {...form.field('server_series')}
        />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label="vCPU"
          required
          min={1}
          defaultValue={specs?.vcpu.value ?? 1}
          {...form.field('vcpu')}
        />
        <NumberInput
          label="RAM"
          required
          min={1}
          defaultValue={specs?.ram.value ?? 1}
          {...form.field('ram')}
        />
        <NativeSelect
          label="RAM unit"
          name="ram_unit"
          data={['GB', 'MB']}
          defaultValue={specs?.ram.unit}
        />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label="Storage (GB)"
          required
          min={1}
          defaultValue={specs?.storage.value ?? 10}
          {...form.field('storage')}
        />
        <TextInput
          label="Storage type"
          required
          defaultValue={specs?.storage.type ?? 'SSD'}
          {...form.field('storage_type')}
        />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label="Bandwidth"
          required
          min={1}
          defaultValue={specs?.bandwidth.value ?? 1}
          {...form.field('bandwidth')}
        />
        <NativeSelect
          label="Bandwidth unit"
          name="bandwidth_unit"
          data={['TB', 'GB']}
          defaultValue={specs?.bandwidth.unit}
        />
        <NumberInput
          label="Process limit"
          min={100}
          placeholder="Default: 1 per MB of RAM"
          defaultValue={specs?.processes?.value}
          {...form.field('processes')}
        />
      </Group>
      {(['month', 'year'] as const).map((period) => (
        <Group key={period} grow align="flex-start">
          <TextInput
            label={`Price per ${period} (dollars)`}
            inputMode="decimal"
            required={period === 'month'}
            defaultValue={priceOf(period)?.price}
            {...form.field(`${period}_price`)}
          />
          <TextInput
            label={`Renewal per ${period} (dollars)`}
            inputMode="decimal"
            placeholder="Same as the price"
            description="If empty, renewals cost the same as the price"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            defaultValue={renewalOf(period)}
            {...form.field(`${period}_renew`)}
          />
        </Group>
      ))}
      <Group align="flex-end" justify="space-between">
        <NumberInput
          label="Position in package lists"
          min={0}
          defaultValue={option?.position ?? 0}
          {...form.field('position')}
        />
        <Checkbox
          name="backups"
          label="Backed up daily"
          mb={8}
          defaultChecked={Boolean(specs?.backups)}
        />
        <Checkbox
          name="offered"
          label="Can be ordered"
          mb={8}
          defaultChecked={option?.offered ?? true}
        />
      </Group>
    </FormFrame>
  )
}
