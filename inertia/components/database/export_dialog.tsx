import { useEffect, useRef, useState } from 'react'
import { Alert, Button, Group, List, NativeSelect, PasswordInput, Stack, Text } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { notify } from '@ui/notify'
import { formatBytes } from '~/components/metrics/format_units'
import { downloadFile } from './download_file'
import { engineLabels } from './engine_labels'
import { serverParams } from './server_params'
import type { DatabaseRow, Engine, ServerView } from './types'

interface ExportDialogProps {
  opened: boolean
  engine: Engine
  server: ServerView
  database: DatabaseRow
  onClose: () => void
}

export function ExportDialog({ opened, onClose, ...of }: ExportDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Export ${of.database.name}`}>
      {opened && <ExportForm {...of} onDone={onClose} />}
    </Dialog>
  )
}

type ExportFormProps = Omit<ExportDialogProps, 'opened' | 'onClose'> & { onDone: () => void }

function ExportForm({ engine, server, database, onDone }: ExportFormProps) {
  const { exports } = engineLabels[engine]
  const [user, setUser] = useState('')
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [error, setError] = useState<string | null>(null)
  const [notWhole, setNotes] = useState<string[] | null>(null)
  /** Bytes received; null while no download runs. */
  const [arrived, setArrived] = useState<number | null>(null)
  const leaving = useRef<AbortController | null>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  const submit = async (form: HTMLFormElement) => {
    const fields = Object.fromEntries(new FormData(form)) as Record<string, string>
    const missing = Object.keys(fields).filter((name) => !fields[name])
    setErrors(Object.fromEntries(missing.map((name) => [name, 'This field is required.'])))
    setError(null)
    if (missing.length) return
    const own = new AbortController()
    leaving.current = own
    setArrived(0)
    const sent = {
      database_name: database.full_name,
      ...fields,
      ...serverParams(server),
    }
    const path = `/database/${engine}/export`
    const query = new URLSearchParams(
      Object.entries(sent).map(([name, value]) => [name, String(value)])
    )
    const { problem, notes } = await downloadFile({
      // The request for MongoDB contains a password, which must not be in a URL, because histories and logs store
      // URLs.
      ...(engine === 'mongodb' ? { address: path, data: sent } : { address: `${path}?${query}` }),
      signal: own.signal,
      onBytes: setArrived,
    })
    if (own.signal.aborted) return
    setArrived(null)
    if (problem) return setError(problem)
    if (notes.length > 0) return setNotes(notes)
    void notify({ success: true, message: `${database.name} was exported.` })
    onDone()
  }

  if (notWhole) {
    return (
      <Stack gap="md">
        <Alert color="yellow" role="status" title="The exported file is incomplete">
          <List size="sm" spacing={2}>
            {notWhole.map((note) => (
              <List.Item key={note}>{note}</List.Item>
            ))}
          </List>
        </Alert>
        <Group justify="flex-end">
          <Button data-autofocus onClick={onDone}>
            Done
          </Button>
        </Group>
      </Stack>
    )
  }

  return (
    <FormFrame
      form={{
        errors,
        formError: error,
        busy: arrived !== null,
        submit: (form) => void submit(form),
      }}
      submit="Export"
      nothing="Nothing was exported"
      onCancel={onDone}
      aside={
        arrived !== null && (
          <Text size="sm" role="status">
            {arrived ? `${formatBytes(arrived)} received` : 'Reading the database…'}
          </Text>
        )
      }
    >
      {Object.keys(exports).length > 1 ? (
        <NativeSelect
          label="Format"
          data={Object.entries(exports).map(([value, label]) => ({ value, label }))}
          data-autofocus
          {...fieldProps('format', errors)}
        />
      ) : (
        <Text size="sm">{Object.values(exports)[0]}</Text>
      )}
      {engine === 'mongodb' && (
        <>
          <NameInput
            label="Username"
            description="A user with read access to this database"
            required
            joint="_"
            data-autofocus
            value={user}
            onChange={setUser}
            {...fieldProps('username', errors)}
          />
          <PasswordInput
            label="Password"
            required
            autoComplete="off"
            {...fieldProps('user_password', errors)}
          />
        </>
      )}
    </FormFrame>
  )
}
