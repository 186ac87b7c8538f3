import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Button, Group, Text } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { call } from '~/api_call'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { visit } from '~/visit'
import { formatBytes } from '~/components/metrics/format_units'
import { engineLabels } from './engine_labels'
import { ExportDialog } from './export_dialog'
import type { DatabaseRow, Engine, ServerView } from './types'
import { databaseListHref } from './server_summary'

interface DropDialogProps {
  opened: boolean
  engine: Engine
  server: ServerView
  database: DatabaseRow
  onClose: () => void
}

export function DropDialog({ opened, engine, server, database, onClose }: DropDialogProps) {
  const { url } = usePage()
  const [exporting, setExporting] = useState(false)
  const { id, name, tables, size_bytes: size } = database
  const { items } = engineLabels[engine]
  const list = databaseListHref(engine, server.server_instance_id)

  const drop = async (typed: string) => {
    const answer = await call(`/database/${engine}/drop`, {
      data: { id, name: typed },
      toasts: 'successes',
    })
    if (answer.success && url.startsWith(`/database/${engine}/`)) visit(list)
    else if (answer.success) reloadChangingProps()
    return answer
  }

  return (
    <>
      <DangerDialog
        opened={opened && !exporting}
        title={`Drop ${name}`}
        name={name}
        mismatch="This does not match the database name."
        losses={[
          `All data in the database${tables ? `: ${tables} ${items.toLowerCase()}` : ''}${size ? `, ${formatBytes(size)}` : ''}`,
          'The access rights of its users',
        ]}
        confirm="Drop database"
        onConfirm={drop}
        onClose={onClose}
      >
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            Existing backups are kept for a limited time. You can also save the data to a file.
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => setExporting(true)}>
            Export it first
          </Button>
        </Group>
      </DangerDialog>
      <ExportDialog
        opened={opened && exporting}
        engine={engine}
        server={server}
        database={database}
        onClose={() => setExporting(false)}
      />
    </>
  )
}
