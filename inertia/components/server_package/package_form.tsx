import { useState } from 'react'
import {
  Alert,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  TextInput,
} from '@mantine/core'
import { field } from '@ui/form_field'
import { useCall } from '~/components/use_call'
import type { PackageRow } from './types'
import { keptWords } from './versions'

interface PackageFormProps {
  /** the one to edit; without one a new package is made */
  option: PackageRow | null
  onDone: () => void
}

/** What the form sends, as the call takes it. */
export function packageFrom(form: FormData) {
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
    },
    pricing: (['month', 'year'] as const).map(price).filter((one) => one.price !== ''),
    offered: form.get('offered') !== null,
    position: number('position'),
  }
}

const NO_AMOUNT = 'Dollars such as 4.50, with at most 6 places after the point.'

/** The server's errors, which name its own structure, by the fields of this form. */
export function errorsByField(
  errors: Record<string, string[]>,
  sent: ReturnType<typeof packageFrom>
): Record<string, string[]> {
  const named = Object.entries(errors).map(([key, texts]) => {
    const [, index, price] = /^pricing\.(\d+)\.(price|renew)$/u.exec(key) ?? []
    if (price) return [`${sent.pricing[Number(index)]?.period}_${price}`, [NO_AMOUNT]]
    const [, part, of] = /^specifications\.(\w+)\.(\w+)$/u.exec(key) ?? []
    if (part) return [of === 'type' ? 'storage_type' : part, texts]
    return [key, texts]
  })
  return Object.fromEntries(named)
}

/** Makes or edits a package. Instances keep the version that they have until they are resized. */
export function PackageForm({ option, onDone }: PackageFormProps) {
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const { busy, run } = useCall()
  const specs = option?.specifications
  const kept = option ? keptWords(option) : null
  const priceOf = (period: string) => option?.pricing.find((one) => one.period === period)

  const save = async (form: FormData) => {
    const wanted = packageFrom(form)
    const answer = option
      ? await run('/admin/server-package/update', { id: option.id, ...wanted })
      : await run('/admin/server-package/store', wanted)
    setErrors(errorsByField(answer.errors, wanted))
    if (answer.success) onDone()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save(new FormData(event.currentTarget))
      }}
    >
      <Stack gap="md">
        {kept && (
          <Alert color="blue" title={kept}>
            Other specifications or prices become version {option!.version + 1}, for what is ordered
            or resized from then on.
          </Alert>
        )}
        <TextInput
          label="Name"
          required
          data-autofocus
          defaultValue={option?.name}
          {...field('name', errors)}
        />
        <Group grow align="flex-start">
          <NativeSelect
            label="Instance type"
            data={[
              { value: 'regular', label: 'Regular' },
              { value: 'shared', label: 'Shared' },
            ]}
            defaultValue={option?.instance_type}
            {...field('instance_type', errors)}
          />
          <NativeSelect
            label="Server series"
            data={[
              { value: 'bronze', label: 'Bronze' },
              { value: 'silver', label: 'Silver' },
              { value: 'gold', label: 'Gold' },
            ]}
            defaultValue={option?.server_series}
            {...field('server_series', errors)}
          />
        </Group>
        <Group grow align="flex-start">
          <NumberInput
            label="vCPU"
            required
            min={1}
            defaultValue={specs?.vcpu.value ?? 1}
            {...field('vcpu', errors)}
          />
          <NumberInput
            label="RAM"
            required
            min={1}
            defaultValue={specs?.ram.value ?? 1}
            {...field('ram', errors)}
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
            {...field('storage', errors)}
          />
          <TextInput
            label="Storage type"
            required
            defaultValue={specs?.storage.type ?? 'SSD'}
            {...field('storage_type', errors)}
          />
        </Group>
        <Group grow align="flex-start">
          <NumberInput
            label="Bandwidth"
            required
            min={1}
            defaultValue={specs?.bandwidth.value ?? 1}
            {...field('bandwidth', errors)}
          />
          <NativeSelect
            label="Bandwidth unit"
            name="bandwidth_unit"
            data={['TB', 'GB']}
            defaultValue={specs?.bandwidth.unit}
          />
          <NumberInput
            label="Processes"
            min={100}
            placeholder="1 per MB of RAM"
            defaultValue={specs?.processes?.value}
            {...field('processes', errors)}
          />
        </Group>
        {(['month', 'year'] as const).map((period) => (
          <Group key={period} grow align="flex-start">
            <TextInput
              label={`Price per ${period} (dollars)`}
              inputMode="decimal"
              required={period === 'month'}
              defaultValue={priceOf(period)?.price}
              {...field(`${period}_price`, errors)}
            />
            <TextInput
              label={`Renewal per ${period} (dollars)`}
              inputMode="decimal"
              placeholder="the same"
              defaultValue={priceOf(period)?.renew}
              {...field(`${period}_renew`, errors)}
            />
          </Group>
        ))}
        <Group align="flex-end" justify="space-between">
          <NumberInput
            label="Position in the list"
            min={0}
            defaultValue={option?.position ?? 0}
            {...field('position', errors)}
          />
          <Checkbox
            name="offered"
            label="Can be ordered"
            mb={8}
            defaultChecked={option?.offered ?? true}
          />
        </Group>
        {errors.pricing && <p role="alert">{errors.pricing[0]}</p>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== null}>
            {option ? 'Save' : 'Add package'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
