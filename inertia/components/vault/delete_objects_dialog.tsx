import { useState } from 'react'
import { Checkbox, Text } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import { ConfirmNameInput } from '@ui/confirm_name_input'
import type { CallResult } from '~/api_call'
import { countWithNoun } from '../../../packages/text/count_with_noun'
import { noErrors } from '~/components/form/form_errors'
import { useApiCall } from '~/components/use_api_call'
import { baseName } from './paths_and_links'

export interface ObjectSelection {
  files: string[]
  folders: string[]
}

interface DeleteObjectsDialogProps {
  vault: number
  doomed: ObjectSelection
  onClose: () => void
  onDone: () => void
}

const WRONG_INPUT_MESSAGE = 'Wrong input'
/** Word that confirms the deletion of several objects of which at least one is a folder. */
const CONFIRMATION_WORD = 'delete'

/** To delete one folder, the person types its name. For files without folders, a checkbox is enough. */
export function DeleteObjectsDialog(props: DeleteObjectsDialogProps) {
  const { files, folders } = props.doomed
  const isFolder = folders.length > 0
  const title =
    files.length + folders.length > 1
      ? 'Delete selected objects'
      : `Delete ${isFolder ? 'folder' : 'file'}`
  return (
    <Dialog opened onClose={props.onClose} title={title}>
      <DeleteObjectsForm {...props} />
    </Dialog>
  )
}

function DeleteObjectsForm({ vault, doomed, onClose, onDone }: DeleteObjectsDialogProps) {
  const { files, folders } = doomed
  const all = [...folders, ...files]
  const [placed, setPlaced] = useState(noErrors)
  const { busy, run } = useApiCall()
  const typed =
    folders.length === 1 && files.length === 0 ? baseName(folders[0]) : CONFIRMATION_WORD

  const send = (): Promise<CallResult<unknown>> => {
    if (all.length > 1) {
      return run('/vault/object/delete-many', { vault_id: vault, files, folders }, 'successes')
    }
    const type = folders.length ? 'folder' : 'file'
    return run('/vault/object/delete', { vault_id: vault, path: all[0], type }, 'successes')
  }

  const submit = async (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const isConfirmed = folders.length
      ? fields.get('typed_name') === typed
      : fields.get('sure') === 'on'
    const at = folders.length ? 'typed_name' : 'sure'
    setPlaced(isConfirmed ? noErrors : { errors: { [at]: WRONG_INPUT_MESSAGE }, formError: null })
    if (!isConfirmed) return
    const answer = await send()
    if (!answer.success) return setPlaced({ errors: {}, formError: answer.message })
    onDone()
    onClose()
  }

  return (
    <FormFrame
      form={{ ...placed, busy: busy !== null, submit }}
      submit="Delete"
      danger
      onCancel={onClose}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>
        {all.length === 1
          ? `Sure to delete: ${all[0]}`
          : `Sure to delete ${[files.length && countWithNoun(files.length, 'file'), folders.length && countWithNoun(folders.length, 'folder')].filter(Boolean).join(' and ')}?`}
      </Text>
      <Text size="sm" c="dimmed">
        {folders.length > 0 &&
          `Everything in the ${folders.length === 1 ? 'folder' : 'folders'} is deleted too. `}
        This cannot be undone. Links stop working immediately.
      </Text>
      {folders.length > 0 ? (
        <ConfirmNameInput of={typed} data-autofocus {...fieldProps('typed_name', placed.errors)} />
      ) : (
        <Checkbox
          label={files.length === 1 ? 'Yes, delete this file' : 'Yes, delete these files'}
          data-autofocus
          {...fieldProps('sure', placed.errors)}
        />
      )}
    </FormFrame>
  )
}
