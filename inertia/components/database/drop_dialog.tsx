import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Button, Group, Text } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { call } from '~/call'
import { reread } from '~/components/live/reread'
import { visit } from '~/visit'
import { bytes } from '~/components/metrics/units'
import { engineWords } from './engine_words'
import { ExportDialog } from './export_dialog'
import { placeOf } from './place'
import type { DatabaseRow, Engine, ServerView } from './types'
import { listOf } from './server_bar'

interface DropDialogProps {
  opened: boolean
  engine: Engine
  server: ServerView
  database: DatabaseRow
  onClose: () => void
}

/** Drops a database for good, by its typed name; a last export is offered before. */
export function DropDialog({ opened, engine, server, database, onClose }: DropDialogProps) {
  const { url } = usePage()
  const [exporting, setExporting] = useState(false)
  const { name, full_name: fullName, tables, size_bytes: size } = database
  const { items } = engineWords[engine]
  const list = listOf(engine, server.server_instance_id)

  const drop = async (typed: string) => {
    const answer = await call(`/database/${engine}/drop`, {
      data: {
        database_name: fullName,
        name: typed,
        ...placeOf(server),
      },
      toasts: 'successes',
    })
    if (answer.success && url.startsWith(`/database/${engine}/`)) visit(list)
    else if (answer.success) reread()
    return answer
  }

  return (
    <>
      <DangerDialog
        opened={opened && !exporting}
        title={`Drop ${name}`}
        name={name}
        mismatch="This is not the name of the database."
        losses={[
          `Everything in it${tables ? `: ${tables} ${items.toLowerCase()}` : ''}${size ? `, ${bytes(size)}` : ''}`,
          'What its users may do in it',
        ]}
        confirm="Drop database"
        onConfirm={drop}
        onClose={onClose}
      >
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            What is only in it is nowhere else.
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
