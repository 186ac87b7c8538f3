import { useState } from 'react'
import { Autocomplete, FileInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { noErrors, assignErrors } from '~/components/form/form_errors'
import { visit } from '~/visit'

interface UploadStatementDialogProps {
  opened: boolean
  /** File that the person dropped on the page or chose in this dialog. */
  file: File | null
  operators: string[]
  onFile: (file: File | null) => void
  onClose: () => void
}

export function UploadStatementDialog({ opened, onClose, ...of }: UploadStatementDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Add statement">
      {opened && <UploadStatementForm {...of} onClose={onClose} />}
    </Dialog>
  )
}

function UploadStatementForm({
  file,
  operators,
  onFile,
  onClose,
}: Omit<UploadStatementDialogProps, 'opened'>) {
  const [operator, setOperator] = useState('')
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    if (!file) return setPlaced({ errors: { file: 'Choose the file.' }, formError: null })
    const data = new FormData()
    data.append('operator', operator.trim())
    data.append('file', file)
    setBusy(true)
    const answer = await call<{ statement: { id: number } }>('/admin/billing/statements/store', {
      data,
      toasts: 'successes',
    })
    setBusy(false)
    if (answer.data) visit(`/admin/billing/statements/${answer.data.statement.id}`)
    else setPlaced(assignErrors(form, answer.errors, answer.message))
  }

  return (
    <FormFrame
      form={{ ...placed, busy, submit }}
      submit="Read statement"
      nothing="Not added"
      onCancel={onClose}
    >
      <Autocomplete
        label="Operator"
        description="For example bKash. Berth remembers the columns of each operator."
        required
        maxLength={40}
        data={operators}
        value={operator}
        onChange={setOperator}
        data-autofocus
        {...fieldProps('operator', placed.errors)}
      />
      <FileInput
        label="File"
        description="CSV or XLSX from the operator’s portal, at most 10 MB"
        placeholder="Choose a file"
        required
        accept=".csv,.txt,.tsv,.xlsx,text/csv,text/plain,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        value={file}
        onChange={onFile}
        {...fieldProps('file', placed.errors)}
      />
    </FormFrame>
  )
}
