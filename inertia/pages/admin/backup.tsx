import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Group } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import type { BackupPage } from '~/components/backup/types'
import { BackupList } from '~/components/backup/backup_list'
import { BackupSettingsForm } from '~/components/backup/backup_settings_form'
import { BackupStatus } from '~/components/backup/backup_status'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import { useApiCall } from '~/components/use_api_call'
import type { SharedProps } from '~/types'

export default function InstallationBackups(page: BackupPage) {
  const { plan, mayRun, mayDrill } = page
  const { unavailable } = usePage<SharedProps>().props
  const { busy, run } = useApiCall()
  const [editing, setEditing] = useState(false)
  const work = useOperation(page.work, 'admin', reloadChangingProps)
  const barred = unavailable?.['backups.manage'] ?? null

  return (
    <>
      <Head title="Backups" />
      <PageHeader
        title="Backups"
        hint="You can restore the database, secrets, certificates and vaults to any second that the hourly backups cover, or to any older backup. Berth backs up instances once a day if their package includes it."
        action={
          <Group gap="xs">
            <ButtonWithDisabledReason
              variant="default"
              reason={barred}
              onClick={() => setEditing(true)}
            >
              {plan ? 'Change settings' : 'Set target'}
            </ButtonWithDisabledReason>
            <ButtonWithDisabledReason
              variant="default"
              reason={barred ?? mayDrill.reason}
              loading={busy === '/admin/backup/drill'}
              onClick={() => void run('/admin/backup/drill', {})}
            >
              Run restore test now
            </ButtonWithDisabledReason>
            <ButtonWithDisabledReason
              reason={barred ?? mayRun.reason}
              loading={busy === '/admin/backup/run'}
              onClick={() => void run('/admin/backup/run', {})}
            >
              Back up now
            </ButtonWithDisabledReason>
          </Group>
        }
      />
      <BackupStatus page={page} />
      {work && <OperationProgress operation={work} />}
      <BackupList page={page} />
      <Dialog
        opened={editing}
        onClose={() => setEditing(false)}
        title="Backup target and schedule"
        size={560}
      >
        {editing && (
          <BackupSettingsForm plan={plan} barred={barred} onDone={() => setEditing(false)} />
        )}
      </Dialog>
    </>
  )
}
