import { useState } from 'react'
import { Checkbox, Text } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { field } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import { TypedName } from '@ui/typed_name'
import type { CallResult } from '~/api_call'
import { counted } from '~/components/counted'
import { noErrors } from '~/components/form/placed_errors'
import { useCall } from '~/components/use_call'
import { nameOf } from './addresses'

/** What is to be deleted, by whole names. */
export interface Doomed {
  files: string[]
  folders: string[]
}

interface DeleteObjectsProps {
  vault: number
  doomed: Doomed
  onClose: () => void
  onDone: () => void
}

const WRONG_INPUT_MESSAGE = 'Wrong input'
/** What is typed where several folders go at once. */
const CONFIRMATION_WORD = 'delete'

/** Asks before files and folders are deleted: a folder by its name, typed; files by a tick. */
export function DeleteObjects(props: DeleteObjectsProps) {
  const { files, folders } = props.doomed
  const isFolder = folders.length > 0
  const title =
    files.length + folders.length > 1
      ? 'Delete selected objects'
      : `Delete ${isFolder ? 'folder' : 'file'}`
  return (
    <Dialog opened onClose={props.onClose} title={title}>
      <Question {...props} />
    </Dialog>
  )
}

function Question({ vault, doomed, onClose, onDone }: DeleteObjectsProps) {
  const { files, folders } = doomed
  const all = [...folders, ...files]
  const [placed, place] = useState(noErrors)
  const { busy, run } = useCall()
  const typed = folders.length === 1 && files.length === 0 ? nameOf(folders[0]) : CONFIRMATION_WORD

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
    place(isConfirmed ? noErrors : { errors: { [at]: WRONG_INPUT_MESSAGE }, formError: null })
    if (!isConfirmed) return
    const answer = await send()
    if (!answer.success) return place({ errors: {}, formError: answer.message })
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
          : `Sure to delete ${[files.length && counted(files.length, 'file'), folders.length && counted(folders.length, 'folder')].filter(Boolean).join(' and ')}?`}
      </Text>
      <Text size="sm" c="dimmed">
        {folders.length > 0 &&
          `Everything in the ${folders.length === 1 ? 'folder' : 'folders'} is deleted too. `}
        This cannot be undone. Links stop working immediately.
      </Text>
      {folders.length > 0 ? (
        <TypedName of={typed} data-autofocus {...field('typed_name', placed.errors)} />
      ) : (
        <Checkbox
          label={files.length === 1 ? 'Yes, delete this file' : 'Yes, delete these files'}
          data-autofocus
          {...field('sure', placed.errors)}
        />
      )}
    </FormFrame>
  )
}
