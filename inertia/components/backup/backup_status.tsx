import { Alert } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { DetailLine } from '@ui/detail_line'
import { formatSize } from '~/components/file_manager/format_size'
import type { BackupPage, BackupSettingsView } from './types'
import { restoreTestLabel, durationLabel } from './labels'

export function BackupStatus({ page }: { page: BackupPage }) {
  const { plan, trouble, last, drill } = page
  const items = [
    { label: 'Target', value: plan ? plan.place : 'Not set' },
    { label: 'State', value: plan ? planStateLabel(plan) : 'Nothing is backed up' },
    {
      label: 'Last backup',
      value: last ? (
        <span>
          <DateText value={last.at ?? last.started_at} shape="moment" />,{' '}
          {formatSize(last.bytes ?? 0)} in {durationLabel(last.took_ms ?? 0)}
        </span>
      ) : (
        'None yet'
      ),
    },
    {
      label: 'Last restore test',
      value: drill ? (
        <span>
          <DateText value={drill.started_at} shape="moment" />:{' '}
          {drill.facts ? restoreTestLabel(drill.facts) : drill.error}
        </span>
      ) : (
        'None yet'
      ),
    },
  ]
  return (
    <>
      {trouble && (
        <Alert color="red" title="Backups need attention" mb="md">
          {trouble}
        </Alert>
      )}
      <DetailLine items={items} />
      <p>
        The backup key is on the recovery sheet: run <code>./berth backup --sheet</code> on the
        machine that runs Berth, print the sheet, and store it elsewhere. The console never shows
        the key.
      </p>
    </>
  )
}

function planStateLabel({ active, state, every }: BackupSettingsView) {
  if (!active) return 'Turned off'
  if (state === 'new') return 'Checking the target'
  return state === 'ready'
    ? `A backup every ${every} minutes and a full backup daily`
    : 'The target cannot be used'
}
