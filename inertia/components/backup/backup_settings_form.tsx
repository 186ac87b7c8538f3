import { Checkbox, Group, NumberInput, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { FormFrame } from '@ui/form_frame'
import { useRegion } from '@ui/region'
import { useApiForm } from '~/components/form/use_api_form'
import type { BackupSettingsView } from './types'

interface BackupSettingsFormProps {
  plan: BackupSettingsView | null
  barred: string | null
  onDone: () => void
}

const DEFAULT_RETENTION = { hours: 48, days: 14, weeks: 8, months: 12 }

const retentionFields = [
  ['hours', 'Hourly backups'],
  ['days', 'Daily backups'],
  ['weeks', 'Weekly backups'],
  ['months', 'Monthly backups'],
] as const

export function settingsFromForm(form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const number = (name: string) => Number(text(name).replaceAll(',', ''))
  return {
    place: text('place'),
    access_key_id: text('access_key_id') || null,
    secret_access_key: text('secret_access_key') || null,
    region: text('region') || null,
    active: form.get('active') !== null,
    every: number('every'),
    full_hour: number('full_hour'),
    hours: number('hours'),
    days: number('days'),
    weeks: number('weeks'),
    months: number('months'),
  }
}

export function BackupSettingsForm({ plan, barred, onDone }: BackupSettingsFormProps) {
  const { timeZone } = useRegion()
  const [target, setTarget] = useState(plan?.place ?? '')
  const form = useApiForm({ to: '/admin/backup/plan', send: settingsFromForm, onDone })
  const keep = plan?.keep ?? DEFAULT_RETENTION
  return (
    <FormFrame form={form} submit="Save" onCancel={onDone} reason={barred}>
      <TextInput
        label="Target"
        description="A folder on the machine that runs Berth, such as a mounted disk, or s3:https://host/bucket/folder"
        required
        data-autofocus
        maxLength={500}
        value={target}
        onChange={({ currentTarget: { value } }) => setTarget(value)}
        {...form.field('place')}
      />
      {target.startsWith('s3:') && (
        <>
          <Group grow align="flex-start">
            <TextInput
              label="Access key"
              autoComplete="off"
              defaultValue={plan?.access_key_id ?? ''}
              {...form.field('access_key_id')}
            />
            <TextInput
              label="Region"
              placeholder="us-east-1"
              defaultValue={plan?.region ?? ''}
              {...form.field('region')}
            />
          </Group>
          <PasswordInput
            label="Secret key"
            autoComplete="new-password"
            placeholder={plan?.has_secret ? 'Unchanged' : ''}
            {...form.field('secret_access_key')}
          />
        </>
      )}
      <Group grow align="flex-start">
        <NumberInput
          label="Backup interval (minutes)"
          description="If the machine that runs Berth fails, you lose at most the data of this interval"
          required
          min={5}
          max={1440}
          defaultValue={plan?.every ?? 15}
          {...form.field('every')}
        />
        <NumberInput
          label="Hour of the full backup"
          description={`0 to 23, in the time zone ${timeZone}`}
          required
          min={0}
          max={23}
          defaultValue={plan?.full_hour ?? 3}
          {...form.field('full_hour')}
        />
      </Group>
      <Group grow align="flex-start">
        {retentionFields.map(([name, label]) => (
          <NumberInput
            key={name}
            label={label}
            description="Number to keep"
            required
            min={0}
            defaultValue={keep[name]}
            {...form.field(name)}
          />
        ))}
      </Group>
      <Checkbox name="active" label="Back up automatically" defaultChecked={plan?.active ?? true} />
    </FormFrame>
  )
}
