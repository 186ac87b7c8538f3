import { useId, useState, type ReactNode } from 'react'
import { router, usePage } from '@inertiajs/react'
import { Alert, Button, Group } from '@mantine/core'
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import { FormFrame } from '@ui/form_frame'
import { Money } from '@ui/money'
import { NameInput } from '@ui/name_input'
import { statusLabel } from '@ui/status_label'
import { useApiForm } from '~/components/form/use_api_form'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import type { SharedProps } from '~/types'
import {
  selectedPackage,
  DEFAULT_SERIES,
  findAvailableSeries,
  matchingPackages,
  billingPeriods,
  findPrice,
  listSeries,
} from './order_selection'
import type { OrderSelection } from './order_selection'
import { specificationItems } from './specifications_list'
import type { PackageWithAvailabilityView } from './types'
import styles from './create_form.module.css'

/** Delay that the specification requires (docs/conformance.md, C7.39). */
const RELOAD_DELAY_MS = 1500

const instanceTypeOptions = [
  { key: 'regular', label: 'Regular', hint: 'A server of your own, with SSH access and ports' },
  { key: 'shared', label: 'Shared', hint: 'For sites that visitors reach by domain' },
] as const

interface CreateFormProps {
  packages: PackageWithAvailabilityView[]
  onDone: () => void
}

export function CreateForm({ packages, onDone }: CreateFormProps) {
  const { dollarRate } = usePage<SharedProps>().props
  const [name, setName] = useState('')
  const [choice, setChoice] = useState<OrderSelection>({
    instance_type: 'regular',
    series: DEFAULT_SERIES,
    billing_period: 'month',
    server_package_id: null,
  })
  const choose = (change: Partial<OrderSelection>) => setChoice({ ...choice, ...change })

  const options = matchingPackages(packages, choice)
  const selected = selectedPackage(packages, choice)
  const isFull = options.length > 0 && options.every(({ room }) => !room.allowed)
  const other = isFull ? findAvailableSeries(packages, choice) : null
  const price = selected && findPrice(selected, choice.billing_period)
  const per = billingPeriods.find(({ key }) => key === choice.billing_period)!.per

  const form = useApiForm({
    to: '/server-instance/store',
    send: () => {
      // Fixes the selection before the request. If this package sells out meanwhile, the form must not order another
      // one instead.
      choose({ server_package_id: selected?.id ?? null })
      return {
        name,
        instance_type: choice.instance_type,
        server_package_id: selected?.id,
        billing_period: choice.billing_period,
        // The server rejects the order if the price of this version has changed.
        package_version: selected?.version,
      }
    },
    onDone: () => {
      window.setTimeout(reloadChangingProps, RELOAD_DELAY_MS)
      onDone()
    },
    onRefused: () => router.reload({ only: ['packages', 'canOrder'] }),
  })

  return (
    <FormFrame
      form={form}
      submit="Create instance"
      onCancel={onDone}
      nothing="Not ordered"
      reason={selected ? null : 'Choose a package that is available.'}
      aside={
        price && (
          <p role="status" className={styles.total}>
            <span>Total</span>
            <strong>
              <Money amount={price.price} rate={dollarRate} />
            </strong>
            <span>
              for the first {per}
              {price.renew !== price.price && (
                <>
                  , then <Money amount={price.renew} rate={dollarRate} /> per {per}
                </>
              )}
            </span>
          </p>
        )
      }
    >
      <NameInput
        label="Name"
        description="3 to 40 letters, digits and hyphens"
        placeholder="web-1"
        required
        minLength={3}
        maxLength={40}
        data-autofocus
        value={name}
        onChange={setName}
        {...form.field('name')}
      />
      <RadioTiles
        label="Instance type"
        name="instance_type"
        options={instanceTypeOptions.map(({ key, label, hint }) => ({ key, label, hint }))}
        value={choice.instance_type}
        onChange={(type) => choose({ instance_type: type })}
      />
      {choice.instance_type === 'shared' && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle size={18} stroke={1.75} aria-hidden />}
          title="Do not install a database server on a shared instance"
        >
          A shared instance has little memory and no ports of its own. Visitors reach its sites by
          domain.
        </Alert>
      )}
      <div className={styles.filters}>
        <RadioTiles
          label="Server series"
          name="server_series"
          compact
          options={listSeries(packages, choice.instance_type).map((key) => ({
            key,
            label: statusLabel(key),
          }))}
          value={choice.series}
          onChange={(series) => choose({ series })}
        />
        <RadioTiles
          label="Billing period"
          name="billing_period"
          compact
          options={billingPeriods}
          value={choice.billing_period}
          onChange={(period) => choose({ billing_period: period })}
        />
      </div>
      {isFull && (
        <Alert
          color="yellow"
          role="status"
          title={`All ${statusLabel(choice.series)} packages are sold out`}
        >
          <Group justify="space-between" gap="xs">
            {other
              ? `Available: ${other.label}.`
              : 'No other package with this billing period is available. Try the other period, or try again later.'}
            {other && (
              <Button size="compact-sm" variant="default" onClick={() => choose(other.change)}>
                Show {other.label}
              </Button>
            )}
          </Group>
        </Alert>
      )}
      {options.length > 0 ? (
        <RadioTiles
          label="Package"
          name="server_package_id"
          options={options.map((option) => ({
            key: option.id,
            label: option.name,
            hint: specificationItems(option.specifications)
              .map(({ text }) => text)
              .join(' · '),
            reason: option.room.reason,
            aside: (
              <>
                <Money amount={findPrice(option, choice.billing_period)!.price} rate={dollarRate} />
                <small> / {per}</small>
              </>
            ),
          }))}
          value={selected?.id ?? 0}
          onChange={(id) => choose({ server_package_id: id })}
          stacked
          error={form.field('server_package_id').error}
        />
      ) : (
        <p className={styles.none}>
          {`There is no ${choice.series} package for ${choice.instance_type} instances. Choose another series.`}
        </p>
      )}
    </FormFrame>
  )
}

interface TileOption<Key> {
  key: Key
  label: string
  hint?: string
  reason?: string | null
  aside?: ReactNode
}

interface RadioTilesProps<Key extends string | number> {
  label: string
  name: string
  options: TileOption<Key>[]
  value: Key
  onChange: (key: Key) => void
  /** Whether tiles are small and side by side. */
  compact?: boolean
  /** Whether tiles are one below the other. */
  stacked?: boolean
  error?: string
}

function RadioTiles<Key extends string | number>(props: RadioTilesProps<Key>) {
  const { label, name, options, value, onChange, compact, stacked, error } = props
  const group = useId()
  return (
    <fieldset name={name} className={styles.choices} data-compact={compact} data-stacked={stacked}>
      <legend>{label}</legend>
      <div>
        {options.map(({ key, label: text, hint, reason, aside }) => (
          <label key={key} className={styles.option}>
            <input
              type="radio"
              name={`${group}-${name}`}
              value={key}
              disabled={Boolean(reason)}
              checked={key === value}
              aria-invalid={error ? true : undefined}
              onChange={() => onChange(key)}
            />
            <span className={styles.words}>
              <strong>{text}</strong>
              {hint && <small>{hint}</small>}
              {reason && <small className={styles.why}>{reason}</small>}
            </span>
            {aside && <span className={styles.aside}>{aside}</span>}
          </label>
        ))}
      </div>
      {error && <p className={styles.error}>{error}</p>}
    </fieldset>
  )
}
