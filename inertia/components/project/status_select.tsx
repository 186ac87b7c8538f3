import { useState } from 'react'
import { Text } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { StatusBadge } from '@ui/status_badge'
import type { NonGetRoutePath } from '#core/page_addresses'
import { StatusMenu } from '~/components/status_menu'
import { useApiCall } from '~/components/use_api_call'
import type { ProjectRow } from './types'

interface StatusSelectProps {
  project: Pick<ProjectRow, 'id' | 'name' | 'status'>
  path: NonGetRoutePath
  statuses: Record<string, string>
  /** Statuses that this person may select. */
  choices: string[]
  barred?: string | null
}

/** Shows only the status, without a menu, if the project is deleted or `barred` is set. */
export function StatusSelect({ project, path, statuses, choices, barred }: StatusSelectProps) {
  const { id, name, status } = project
  const { busy, run } = useApiCall()
  const [deleting, setDeleting] = useState(false)
  if (status === 'deleted' || barred) {
    return (
      <span title={barred ?? undefined}>
        <StatusBadge status={status} label={statuses[status]} />
      </span>
    )
  }
  const change = (to: string) => run(path, { id, status: to })
  return (
    <>
      <StatusMenu
        label={`Status of ${name}`}
        status={status}
        statuses={statuses}
        choices={choices}
        busy={busy !== null}
        onPick={(to) => (to === 'deleted' ? setDeleting(true) : void change(to))}
      />
      <DangerDialog
        opened={deleting}
        question={`Sure to delete project (${name})?`}
        confirm="Delete project"
        onConfirm={() => run(path, { id, status: 'deleted' }, 'successes')}
        onClose={() => setDeleting(false)}
      >
        <Text size="sm" mt="xs" c="dimmed">
          Its virtual host, processes and environment variables are removed permanently. Its files
          stay on the server instance.
        </Text>
      </DangerDialog>
    </>
  )
}
