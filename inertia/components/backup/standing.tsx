import { Alert } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { KeyFacts } from '@ui/key_facts'
import { sizeText } from '~/components/file_manager/sizes'
import type { BackupPage, PlanView } from './types'
import { factsWords, spanWords } from './words'

/** What one must know: whether all is well, where it goes, the last backup and the last drill. */
export function Standing({ page }: { page: BackupPage }) {
  const { plan, trouble, last, drill } = page
  const facts = [
    { label: 'Target', value: plan ? plan.place : 'Not set' },
    { label: 'State', value: plan ? stateWords(plan) : 'Nothing is backed up' },
    {
      label: 'Last backup',
      value: last ? (
        <span>
          <DateText value={last.at ?? last.started_at} shape="moment" />,{' '}
          {sizeText(last.bytes ?? 0)} in {spanWords(last.took_ms ?? 0)}
        </span>
      ) : (
        'None yet'
      ),
    },
    {
      label: 'Last drill',
      value: drill ? (
        <span>
          <DateText value={drill.started_at} shape="moment" />:{' '}
          {drill.facts ? factsWords(drill.facts) : drill.error}
        </span>
      ) : (
        'None yet'
      ),
    },
  ]
  return (
    <>
      {trouble && (
        <Alert color="red" title="Backups need a look" mb="md">
          {trouble}
        </Alert>
      )}
      <KeyFacts facts={facts} />
      <p>
        What opens a backup is on the recovery sheet: run <code>./berth backup --sheet</code> on the
        control machine, print it, and keep it somewhere else. It is shown nowhere on these pages.
      </p>
    </>
  )
}

function stateWords({ active, state, every }: PlanView) {
  if (!active) return 'Switched off'
  if (state === 'new') return 'Being looked at'
  return state === 'ready' ? `A point every ${every} minutes, all once a day` : 'Cannot be used'
}
