import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Group } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { PageHeader } from '@ui/page_header'
import type { BackupPage } from '~/components/backup/types'
import { BackupList } from '~/components/backup/backup_list'
import { PlanForm } from '~/components/backup/plan_form'
import { BackupStatus } from '~/components/backup/backup_status'
import { reread } from '~/components/live/reread'
import { useOperation } from '~/components/operation/watch_operation'
import { OperationProgress } from '~/components/operation/progress'
import { useCall } from '~/components/use_call'
import type { SharedProps } from '~/types'

/** Where the installation is backed up, what became of it, and whether it could be had again. */
export default function Backups(page: BackupPage) {
  const { plan, mayRun, mayDrill } = page
  const { unavailable } = usePage<SharedProps>().props
  const { busy, run } = useCall()
  const [editing, setEditing] = useState(false)
  const work = useOperation(page.work, 'admin', reread)
  const barred = unavailable?.['backups.manage'] ?? null

  return (
    <>
      <Head title="Backups" />
      <PageHeader
        title="Backups"
        hint="You can restore the database, secrets, certificates and vaults to any point in time. Instances with daily backup are backed up once a day."
        action={
          <Group gap="xs">
            <DisabledReason variant="default" reason={barred} onClick={() => setEditing(true)}>
              {plan ? 'Change settings' : 'Set target'}
            </DisabledReason>
            <DisabledReason
              variant="default"
              reason={barred ?? mayDrill.reason}
              loading={busy === '/admin/backup/drill'}
              onClick={() => void run('/admin/backup/drill', {})}
            >
              Run restore test now
            </DisabledReason>
            <DisabledReason
              reason={barred ?? mayRun.reason}
              loading={busy === '/admin/backup/run'}
              onClick={() => void run('/admin/backup/run', {})}
            >
              Back up now
            </DisabledReason>
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
        {editing && <PlanForm plan={plan} barred={barred} onDone={() => setEditing(false)} />}
      </Dialog>
    </>
  )
}
