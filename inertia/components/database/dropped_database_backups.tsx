import { useState } from 'react'
import { Text } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { useApiForm } from '~/components/form/use_api_form'
import { Table } from '~/components/list/table'
import { formatBytes } from '~/components/metrics/format_units'
import { useApiCall } from '~/components/use_api_call'
import { ActionMenu } from '~/components/action_menu'
import { backupReasonLabels, IncompleteBackupNotes } from './backups'
import { backupContentsLabel } from './backup_contents_label'
import { serverNotRunningDisabledReason } from './database_actions'
import type { DroppedDatabaseBackupRow, ServerView } from './types'
import styles from './database.module.css'

interface DroppedDatabaseBackupsProps {
  /** The server to restore to; null for none. */
  server: ServerView | null
  copies: DroppedDatabaseBackupRow[]
}

type OpenDialog = { what: 'restore' | 'delete'; copy: DroppedDatabaseBackupRow }

export function DroppedDatabaseBackups({ server, copies }: DroppedDatabaseBackupsProps) {
  const [asking, ask] = useState<OpenDialog | null>(null)
  const { run } = useApiCall()
  const barred = server
    ? serverNotRunningDisabledReason(server)
    : 'No database server is available to restore to.'
  return (
    <section className={styles.part} aria-label="Backups of dropped databases">
      <header className={styles.partHead}>
        <h2>Backups of dropped databases</h2>
      </header>
      <Table
        label="Backups of dropped databases"
        rows={copies}
        rowKey={({ id }) => id}
        columns={[
          { label: 'Name', phone: 'title', cell: ({ database }) => database },
          {
            label: 'Created',
            width: '190px',
            phone: 'second',
            cell: ({ created_at: at }) => <DateText value={at} shape="moment" />,
          },
          { label: 'Reason', width: '160px', cell: ({ reason }) => backupReasonLabels[reason] },
          {
            label: 'Size',
            align: 'right',
            width: '110px',
            phone: 'aside',
            cell: ({ size_bytes: size }) => (size === null ? '-' : formatBytes(size)),
          },
          {
            label: 'Kept until',
            width: '140px',
            phone: 'second',
            phoneLabel: true,
            cell: ({ kept_until: at }) => <DateText value={at} />,
          },
          {
            label: 'Actions',
            align: 'right',
            width: '90px',
            phone: 'action',
            cell: (copy) => (
              <ActionMenu
                label={`Actions for backup ${copy.id} of ${copy.database}`}
                actions={[
                  {
                    label: 'Restore',
                    reason: barred,
                    onClick: () => ask({ what: 'restore', copy }),
                  },
                  {
                    label: 'Download',
                    onClick: () => window.location.assign(`/database/backup/${copy.id}/download`),
                  },
                  {
                    label: 'Delete',
                    danger: true,
                    onClick: () => ask({ what: 'delete', copy }),
                  },
                ]}
              />
            ),
          },
        ]}
      />
      <Dialog
        opened={asking?.what === 'restore'}
        onClose={() => ask(null)}
        title={`Restore ${asking?.copy.database ?? ''}`}
      >
        {asking?.what === 'restore' && (
          <RestoreForm
            copy={asking.copy}
            serverId={server?.server_instance_id ?? 'managed'}
            onDone={() => ask(null)}
          />
        )}
      </Dialog>
      {asking?.what === 'delete' && (
        <DangerDialog
          opened
          title="Delete backup"
          losses={[
            `Backup of the dropped database ${asking.copy.database}: ${backupContentsLabel(asking.copy.contents)}`,
          ]}
          confirm="Delete backup"
          onClose={() => ask(null)}
          onConfirm={() => run('/database/backup/delete', { id: asking.copy.id }, 'successes')}
        />
      )}
    </section>
  )
}

interface RestoreFormProps {
  copy: DroppedDatabaseBackupRow
  serverId: number | 'managed'
  onDone: () => void
}

function RestoreForm({ copy, serverId, onDone }: RestoreFormProps) {
  const [name, setName] = useState(copy.database)
  const form = useApiForm({
    to: '/database/backup/restore',
    send: () => ({
      id: copy.id,
      how: 'beside',
      database_name: name,
      server_instance_id: serverId,
    }),
    onDone,
  })
  return (
    <FormFrame form={form} submit="Restore" onCancel={onDone}>
      <Text size="sm">
        Backup of <DateText value={copy.created_at} shape="moment" />:{' '}
        {backupContentsLabel(copy.contents)}
      </Text>
      <IncompleteBackupNotes notes={copy.notes} />
      <NameInput
        label="Database name"
        description="Backups do not contain users. Give existing users access, or add one."
        required
        joint="_"
        maxLength={40}
        value={name}
        onChange={setName}
        {...form.field('database_name')}
      />
    </FormFrame>
  )
}
