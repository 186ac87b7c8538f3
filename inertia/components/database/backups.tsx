import { useState } from 'react'
import { NativeSelect, NumberInput, Radio, Stack, Switch, Text } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { StatusBadge, type StatusTone } from '@ui/status_badge'
import { ConfirmNameInput } from '@ui/confirm_name_input'
import { useApiForm } from '~/components/form/use_api_form'
import { Table } from '~/components/list/table'
import { formatBytes } from '~/components/metrics/format_units'
import { useApiCall } from '~/components/use_api_call'
import { ActionMenu } from '~/components/action_menu'
import { backupContentsLabel } from './backup_contents_label'
import { serverNotRunningDisabledReason, operationRunningDisabledReason } from './database_actions'
import type { BackupRow, DatabasePage } from './types'
import styles from './database.module.css'

export const backupReasonLabels: Record<BackupRow['reason'], string> = {
  nightly: 'Nightly',
  asked: 'Manual',
  before_drop: 'Before drop',
  before_import: 'Before import',
}

const states: Record<BackupRow['status'], { label: string; tone: StatusTone }> = {
  running: { label: 'In progress', tone: 'wait' },
  done: { label: 'Done', tone: 'good' },
  failed: { label: 'Failed', tone: 'loss' },
}

const notDoneReasons: Record<BackupRow['status'], string | null> = {
  running: 'The backup is still running.',
  done: null,
  failed: 'The backup failed. Make a new one.',
}

const vaultStateLabels: Record<NonNullable<BackupRow['vault']>['state'], string> = {
  sent: 'Copied',
  waiting: 'Waiting',
  failed: 'Not copied',
}

function vaultCopyLabel({ vault }: BackupRow, places: DatabasePage['copyPlaces']): string {
  if (!vault) return '-'
  const destination = places.find(({ id }) => id === vault.id)
  if (!destination) return 'Vault deleted'
  return vault.error ?? `${vaultStateLabels[vault.state]}: ${destination.name}`
}

const MAX_NOTES_SHOWN = 3

export function IncompleteBackupNotes({ notes }: Pick<BackupRow, 'notes'>) {
  const others = notes.length - MAX_NOTES_SHOWN
  return (
    <>
      {notes.slice(0, MAX_NOTES_SHOWN).map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
      {others > 0 && (
        <Text size="sm">
          {others === 1
            ? '1 more note is listed at the end of the backup file.'
            : `${others} more notes are listed at the end of the backup file.`}
        </Text>
      )}
    </>
  )
}

type OpenDialog = { what: 'restore' | 'delete'; backup: BackupRow }

export function Backups({ page }: { page: DatabasePage }) {
  const { server, database, backups, backupPlan } = page
  const [asking, ask] = useState<OpenDialog | null>(null)
  const { busy, run } = useApiCall()
  const barred = serverNotRunningDisabledReason(server)
  const reason = barred ?? operationRunningDisabledReason(database)
  const make = (
    <ButtonWithDisabledReason
      loading={busy === '/database/backup/store'}
      reason={reason}
      onClick={() => void run('/database/backup/store', { database_id: database.id })}
    >
      Back up now
    </ButtonWithDisabledReason>
  )

  return (
    <>
      <section className={styles.part} aria-label="Backups">
        <header className={styles.partHead}>
          <h2>Backups</h2>
          {backups.length > 0 && make}
        </header>
        {backups.length === 0 ? (
          <EmptyState
            title="No backups yet"
            hint="With a backup, you can recover data that was deleted by mistake."
            action={make}
          />
        ) : (
          <Table
            label="Backups"
            rows={backups}
            rowKey={({ id }) => id}
            columns={[
              {
                label: 'Created',
                phone: 'title',
                cell: ({ created_at: at }) => <DateText value={at} shape="moment" />,
              },
              {
                label: 'Reason',
                width: '180px',
                phone: 'second',
                cell: ({ reason: why }) => backupReasonLabels[why],
              },
              {
                label: 'Contents',
                cell: ({ contents, error, notes }) => (
                  <>
                    {error ?? backupContentsLabel(contents)}
                    <IncompleteBackupNotes notes={notes} />
                  </>
                ),
              },
              {
                label: 'Size',
                align: 'right',
                width: '100px',
                phone: 'second',
                cell: ({ size_bytes: size }) => (size === null ? '-' : formatBytes(size)),
              },
              {
                label: 'Copy in vault',
                cell: (backup) => vaultCopyLabel(backup, page.copyPlaces),
              },
              {
                label: 'Status',
                width: '130px',
                phone: 'aside',
                cell: ({ status }) => <StatusBadge status={status} {...states[status]} />,
              },
              {
                label: 'Actions',
                align: 'right',
                width: '90px',
                phone: 'action',
                cell: (backup) => {
                  const notDone = notDoneReasons[backup.status]
                  return (
                    <ActionMenu
                      label={`Actions for backup ${backup.id}`}
                      actions={[
                        {
                          label: 'Download',
                          reason: notDone,
                          onClick: () =>
                            window.location.assign(`/database/backup/${backup.id}/download`),
                        },
                        {
                          label: 'Restore',
                          reason: notDone ?? reason,
                          onClick: () => ask({ what: 'restore', backup }),
                        },
                        {
                          label: 'Delete',
                          danger: true,
                          reason: backup.status === 'running' ? notDoneReasons.running : null,
                          onClick: () => ask({ what: 'delete', backup }),
                        },
                      ]}
                    />
                  )
                },
              },
            ]}
          />
        )}
      </section>
      <BackupPlanForm key={JSON.stringify(backupPlan)} page={page} />
      <Dialog
        opened={asking?.what === 'restore'}
        onClose={() => ask(null)}
        title={`Restore ${database.name}`}
      >
        {asking?.what === 'restore' && (
          <RestoreForm page={page} backup={asking.backup} onDone={() => ask(null)} />
        )}
      </Dialog>
      {asking?.what === 'delete' && (
        <DangerDialog
          opened
          title="Delete backup"
          losses={[
            `The backup of ${database.name}: ${backupContentsLabel(asking.backup.contents)}`,
          ]}
          confirm="Delete backup"
          onClose={() => ask(null)}
          onConfirm={() => run('/database/backup/delete', { id: asking.backup.id }, 'successes')}
        />
      )}
    </>
  )
}

const NO_VAULT_VALUE = 'none'

function vaultChoices(selected: number | null, places: DatabasePage['copyPlaces']) {
  const choices = places.map(({ id, name, problem }) => ({
    value: String(id),
    label: problem ? `${name}: ${problem}` : name,
    disabled: problem !== null && id !== selected,
  }))
  const isGone = selected !== null && !places.some(({ id }) => id === selected)
  const gone = { value: String(selected), label: 'A deleted vault', disabled: false }
  return [{ value: NO_VAULT_VALUE, label: 'None' }, ...choices, ...(isGone ? [gone] : [])]
}

function BackupPlanForm({ page }: { page: DatabasePage }) {
  const { backupPlan, copyPlaces, database } = page
  const [nightly, setNightly] = useState(backupPlan.nightly)
  const [vault, setVault] = useState(String(backupPlan.vault_id ?? NO_VAULT_VALUE))
  const form = useApiForm({
    to: '/database/backup/plan',
    send: (fields) => ({
      database_id: database.id,
      nightly,
      keep: Number(fields.get('keep')),
      days: Number(fields.get('days')),
      vault_id: vault === NO_VAULT_VALUE ? null : Number(vault),
    }),
    onDone: () => {},
  })
  return (
    <section className={styles.part} aria-label="Schedule">
      <header className={styles.partHead}>
        <h2>Nightly backups</h2>
      </header>
      <div className={styles.narrow}>
        <FormFrame form={form} submit="Save schedule" buttons="left" quiet>
          <Switch
            label="Back up every night"
            checked={nightly}
            onChange={(event) => setNightly(event.currentTarget.checked)}
          />
          <NumberInput
            label="Nightly backups to keep"
            description="If there are more, Berth deletes the oldest. Manual backups stay."
            min={1}
            max={90}
            allowDecimal={false}
            defaultValue={backupPlan.keep}
            {...form.field('keep')}
          />
          <NumberInput
            label="Days to keep nightly backups"
            description="Berth deletes older ones. Both limits also apply to the automatic backups before imports."
            min={1}
            max={365}
            allowDecimal={false}
            defaultValue={backupPlan.days}
            {...form.field('days')}
          />
          <NativeSelect
            label="Also copy to a vault"
            description="This second copy is still there if the server is lost. Only backups up to 5 GB are copied, and only to a private vault."
            data={vaultChoices(backupPlan.vault_id, copyPlaces)}
            value={vault}
            onChange={(event) => setVault(event.currentTarget.value)}
            {...form.field('vault_id')}
          />
        </FormFrame>
      </div>
    </section>
  )
}

interface RestoreFormProps {
  page: DatabasePage
  backup: BackupRow
  onDone: () => void
}

/** Replaces the existing database only after the person typed its name. */
function RestoreForm({ page, backup, onDone }: RestoreFormProps) {
  const { name } = page.database
  const [how, setHow] = useState<'beside' | 'over'>('beside')
  const [newName, setNewName] = useState(`${name}_restored`)
  const form = useApiForm({
    to: '/database/backup/restore',
    check: (fields): Record<string, string> =>
      how === 'over' && fields.get('typed_name') !== name
        ? { typed_name: 'This does not match the database name.' }
        : {},
    send: () => ({ id: backup.id, how, ...(how === 'beside' && { database_name: newName }) }),
    onDone,
  })

  return (
    <FormFrame
      form={form}
      submit={how === 'over' ? 'Replace database' : 'Restore as new database'}
      danger={how === 'over'}
      onCancel={onDone}
    >
      <Text size="sm">
        Backup of <DateText value={backup.created_at} shape="moment" />:{' '}
        {backupContentsLabel(backup.contents)}
      </Text>
      <IncompleteBackupNotes notes={backup.notes} />
      <Radio.Group label="Restore to" value={how} onChange={(value) => setHow(value as typeof how)}>
        <Stack gap={8} mt={6}>
          <Radio
            value="beside"
            label="A new database"
            description="This database stays unchanged."
          />
          <Radio
            value="over"
            label="This database"
            description="All changes since the backup are lost."
          />
        </Stack>
      </Radio.Group>
      {how === 'beside' ? (
        <NameInput
          label="Name of the new database"
          required
          joint="_"
          maxLength={40}
          value={newName}
          onChange={setNewName}
          {...form.field('database_name')}
        />
      ) : (
        <ConfirmNameInput of={name} {...form.field('typed_name')} />
      )}
    </FormFrame>
  )
}
