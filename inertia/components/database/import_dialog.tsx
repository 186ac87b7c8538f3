import { useEffect, useRef, useState } from 'react'
import {
  Alert,
  Button,
  Checkbox,
  FileInput,
  Group,
  List,
  PasswordInput,
  Progress,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { call } from '~/api_call'
import { assignErrors, noErrors } from '~/components/form/form_errors'
import { DescriptionList } from '~/components/description_list'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { formatBytes } from '~/components/metrics/format_units'
import { isFinished, useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import type { OperationView } from '~/components/operation/types'
import { backupContentsLabel } from './backup_contents_label'
import { engineLabels } from './engine_labels'
import { serverParams } from './server_params'
import type { BackupRow, DatabaseRow, Engine, ServerView } from './types'
import { uploadFile } from './upload_file'

interface ImportDialogProps {
  opened: boolean
  engine: Engine
  server: ServerView
  database: DatabaseRow
  /** Maximum size of an uploaded file, in bytes. */
  uploadLimit: number
  onClose: () => void
}

export function ImportDialog({ opened, onClose, ...of }: ImportDialogProps) {
  const [isSending, setSending] = useState(false)
  return (
    <Dialog
      opened={opened}
      // Closing the dialog by accident must not cancel a long upload.
      onClose={() => isSending || onClose()}
      title={`Import into ${of.database.name}`}
    >
      {opened && <ImportSteps {...of} onSending={setSending} onDone={onClose} />}
    </Dialog>
  )
}

type ImportProps = Omit<ImportDialogProps, 'opened' | 'onClose'> & {
  onSending: (isSending: boolean) => void
  onDone: () => void
}

function ImportSteps(props: ImportProps) {
  const [begun, begin] = useState<OperationView | null>(null)
  return begun ? (
    <ImportResult begun={begun} onDone={props.onDone} />
  ) : (
    <ImportForm {...props} onBegun={begin} />
  )
}

type FileSource = 'upload' | 'path'

const SENT_FIELDS = ['mode', 'accept_missing_end', 'username', 'user_password']

const modesOf = (engine: Engine) => [
  {
    value: 'replace',
    label: 'Replace existing data',
    description:
      'Afterwards, the database contains only the data from the file. Changes that programs make during the import are lost.',
  },
  {
    value: 'merge',
    label: 'Keep existing data',
    description: engineLabels[engine].mergeHint,
  },
]

function ImportForm(props: ImportProps & { onBegun: (operation: OperationView) => void }) {
  const { engine, server, database, uploadLimit, onSending, onBegun, onDone } = props
  const { imports, noFile } = engineLabels[engine]
  const [from, setFrom] = useState<FileSource>('upload')
  const [path, setPath] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [user, setUser] = useState('')
  const [placed, setPlaced] = useState(noErrors)
  const [sent, setSent] = useState<number | null>(null)
  const [isAsking, setAsking] = useState(false)
  const leaving = useRef<AbortController | null>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  const isSending = sent !== null
  const isManaged = server.server_instance_id === null
  const example = `backups/${database.name}${imports[0]}`
  const tooLarge = `This file is larger than the upload limit of ${formatBytes(uploadLimit)}.`
  useEffect(() => {
    onSending(isSending)
    if (!isSending) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isSending, onSending])

  const check = (fields: Record<string, string>): Record<string, string> => {
    const name = (from === 'path' ? path.trim() : (file?.name ?? '')).toLowerCase()
    if (!imports.some((end) => name.endsWith(end))) return { file: noFile }
    if (from === 'upload' && file && file.size > uploadLimit)
      return {
        file: isManaged
          ? tooLarge
          : `${tooLarge} Copy it to the instance and choose “A file on the instance”.`,
      }
    const missing = ['username', 'user_password'].filter((key) => fields[key] === '')
    return Object.fromEntries(missing.map((key) => [key, 'This field is required.']))
  }

  const submit = async (form: HTMLFormElement) => {
    const texts = [...new FormData(form)].filter(([name]) => SENT_FIELDS.includes(name))
    const fields = Object.fromEntries(texts) as Record<string, string>
    const wrong = check(fields)
    setPlaced({ errors: wrong, formError: null })
    if (Object.keys(wrong).length) return
    if (from === 'path') return importPath(form, fields)
    if (!file) return
    const own = new AbortController()
    leaving.current = own
    setSent(0)
    const target = { database_name: database.full_name, ...serverParams(server) }
    const answer = await uploadFile({
      to: `/database/${engine}/import`,
      // The target is in the URL, so that the server can reject the request before it receives the file.
      query: target,
      fields: { ...target, ...fields },
      file,
      onSent: setSent,
      signal: own.signal,
    })
    setSent(null)
    if (!answer.success) {
      return setPlaced(assignErrors(form, answer.errors, answer.message || 'Import failed.'))
    }
    reloadChangingProps()
    if (answer.operation) onBegun(answer.operation)
    else onDone()
  }

  const importPath = async (form: HTMLFormElement, fields: Record<string, string>) => {
    setAsking(true)
    const answer = await call<{ operation: OperationView }>(`/database/${engine}/import`, {
      data: {
        database_name: database.full_name,
        ...serverParams(server),
        ...fields,
        path: path.trim(),
      },
      toasts: 'none',
    })
    setAsking(false)
    if (!answer.success) {
      const { path: wrong, ...errors } = answer.errors
      const all = wrong ? { ...errors, file: wrong } : errors
      return setPlaced(assignErrors(form, all, answer.message || 'Import failed.'))
    }
    reloadChangingProps()
    if (answer.data) onBegun(answer.data.operation)
    else onDone()
  }

  const cancel = () => {
    if (!isSending) return onDone()
    leaving.current?.abort()
    setSent(null)
    setPlaced({ errors: {}, formError: 'Upload cancelled. The database is unchanged.' })
  }

  return (
    <FormFrame
      form={{ ...placed, busy: isSending || isAsking, submit: (form) => void submit(form) }}
      submit="Import"
      nothing="Import not started"
      onCancel={cancel}
    >
      <Radio.Group
        label="File location"
        value={from}
        onChange={(value) => {
          setFrom(value as FileSource)
          setPlaced(noErrors)
        }}
      >
        <Stack gap={8} mt={6}>
          <Radio value="upload" label="Upload a file" disabled={isSending} />
          <Radio
            value="path"
            label="A file on the instance"
            description={
              isManaged
                ? 'The managed database server can import only uploaded files.'
                : 'For files of any size. First copy the file to the instance by SFTP, or download it in the terminal.'
            }
            disabled={isSending || isManaged}
          />
        </Stack>
      </Radio.Group>
      {from === 'upload' ? (
        <FileInput
          label="File"
          description={`${imports.join(', ')}, up to ${formatBytes(uploadLimit)}`}
          placeholder="Choose a file"
          required
          clearable={!isSending}
          disabled={isSending}
          accept={imports.join(',')}
          value={file}
          onChange={setFile}
          fileInputProps={{ 'aria-label': 'File to import' }}
          {...fieldProps('file', placed.errors)}
        />
      ) : (
        <TextInput
          label="File path"
          description={`Path below public_html, as in the file manager: ${example}`}
          placeholder={example}
          required
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
          {...fieldProps('file', placed.errors)}
        />
      )}
      {engine === 'mongodb' && (
        <>
          <NameInput
            label="Username"
            description="A user with write access to this database"
            required
            joint="_"
            value={user}
            onChange={setUser}
            {...fieldProps('username', placed.errors)}
          />
          <PasswordInput
            label="Password"
            required
            autoComplete="off"
            {...fieldProps('user_password', placed.errors)}
          />
        </>
      )}
      <Radio.Group label="Existing data" name="mode" defaultValue="replace">
        <Stack gap={8} mt={6}>
          {modesOf(engine).map((mode) => (
            <Radio key={mode.value} disabled={isSending} {...mode} />
          ))}
        </Stack>
      </Radio.Group>
      {engine === 'mysql' && (
        <Checkbox
          name="accept_missing_end"
          value="true"
          label="Accept a dump without the line “Dump completed”"
          description="This line is the last of a complete dump of mysqldump or mariadb-dump. Without it, Berth cannot detect whether other lines are missing."
          disabled={isSending}
        />
      )}
      <Text size="sm" c="dimmed">
        The file is imported into a temporary copy first. If the import fails, your database stays
        unchanged.
      </Text>
      {isSending && file && (
        <div>
          <Progress
            value={file.size ? (sent / file.size) * 100 : 100}
            aria-label={`Uploading ${file.name}`}
          />
          <Text size="sm" mt={4} role="status">
            {sent < file.size
              ? `${formatBytes(sent)} of ${formatBytes(file.size)} uploaded`
              : 'Uploaded. Checking the file…'}
          </Text>
        </div>
      )}
    </FormFrame>
  )
}

function ImportResult({ begun, onDone }: { begun: OperationView; onDone: () => void }) {
  const operation = useOperation(begun, 'customer', reloadChangingProps) ?? begun
  const over = isFinished(operation)
  return (
    <Stack gap="md">
      <OperationProgress operation={operation} />
      {operation.status === 'failed' && (
        <Alert color="red" role="alert" title="Import failed.">
          Unless the error above says otherwise, the database is unchanged. Fix the cause, then
          import the file again.
        </Alert>
      )}
      <ImportWarnings operation={operation} />
      {operation.status === 'done' && <ContentsBeforeAndAfter operation={operation} />}
      <Group justify="flex-end">
        <Button data-autofocus variant={over ? undefined : 'default'} onClick={onDone}>
          {over ? 'Done' : 'Close and continue in background'}
        </Button>
      </Group>
    </Stack>
  )
}

function ContentsBeforeAndAfter({ operation: { result } }: { operation: OperationView }) {
  if (!result?.after) return null
  const text = (counts: unknown) => backupContentsLabel(counts as BackupRow['contents'])
  return (
    <DescriptionList
      label="Contents"
      rows={[
        { label: 'Before the import', value: text(result.before) },
        { label: 'After the import', value: text(result.after) },
      ]}
    />
  )
}

export function ImportWarnings({ operation }: { operation: OperationView }) {
  const notes = operation.result?.notes
  if (!Array.isArray(notes) || notes.length === 0) return null
  return (
    <Alert color="yellow" role="status" title="Skipped or changed during the import">
      <List size="sm" spacing={2}>
        {notes.map((note) => (
          <List.Item key={String(note)}>{String(note)}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
