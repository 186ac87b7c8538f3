import { useState } from 'react'
import { Checkbox, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import type { CallResult } from '~/api_call'
import { noErrors } from '~/components/form/form_errors'
import { itemCountLabel } from './file_clipboard'
import type { FileRow } from './types'
import styles from './file_mode_dialog.module.css'

interface FileModeDialogProps {
  rows: FileRow[]
  onConfirm: (mode: string, recursive: boolean) => Promise<CallResult<unknown>>
  onClose: () => void
}

const userClasses = ['Owner', 'Group', 'Others']
const permissionBits = [
  { label: 'Read', bit: 4 },
  { label: 'Write', bit: 2 },
  { label: 'Execute', bit: 1 },
]

/** Returns the last three digits of a mode such as `644` or `0644`. Returns null for other text. */
function parseMode(mode: string) {
  return /^0?([0-7]{3})$/.exec(mode)?.[1] ?? null
}

/** Mount it only while it is open. */
export function FileModeDialog(props: FileModeDialogProps) {
  const { rows, onClose } = props
  const what = rows.length === 1 ? rows[0].name : itemCountLabel(rows.length)
  return (
    <Dialog opened onClose={onClose} title={`Change mode of ${what}`}>
      <FileModeForm {...props} />
    </Dialog>
  )
}

function FileModeForm({ rows, onConfirm, onClose }: FileModeDialogProps) {
  const [mode, setMode] = useState(rows[0].mode.slice(-3))
  const [recursive, setRecursive] = useState(false)
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)
  const digits = parseMode(mode)
  const bits = [...(digits ?? '000')].map(Number)

  const change = (next: string) => {
    setMode(next)
    setPlaced(noErrors)
  }
  const toggle = (who: number, bit: number) =>
    change(bits.map((digit, at) => (at === who ? digit ^ bit : digit)).join(''))

  const submit = async () => {
    setBusy(true)
    const { success, message, errors } = await onConfirm(mode, recursive)
    setBusy(false)
    const isMode = 'mode' in errors
    if (!success) setPlaced({ errors: isMode ? errors : {}, formError: isMode ? null : message })
  }

  return (
    <FormFrame
      form={{ ...placed, busy, submit }}
      submit="Change mode"
      reason={digits ? null : 'Enter three digits from 0 to 7, such as 644.'}
      onCancel={onClose}
    >
      <TextInput
        data-autofocus
        label="Mode"
        description="Folders also get execute (x) wherever they have read (r), so that they can be opened."
        value={mode}
        maxLength={4}
        autoComplete="off"
        inputMode="numeric"
        spellCheck={false}
        {...fieldProps('mode', placed.errors)}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <div className={styles.rights}>
        {userClasses.map((person, who) => (
          <div key={person} role="group" aria-label={person} className={styles.person}>
            <span aria-hidden>{person}</span>
            {permissionBits.map(({ label, bit }) => (
              <Checkbox
                key={label}
                size="xs"
                label={label}
                disabled={!digits}
                checked={(bits[who] & bit) !== 0}
                onChange={() => toggle(who, bit)}
              />
            ))}
          </div>
        ))}
      </div>
      {rows.some(({ type, link }) => type === 'folder' && link === undefined) && (
        <Checkbox
          label="Also change everything inside folders"
          description="Symbolic links are not changed."
          checked={recursive}
          onChange={(event) => setRecursive(event.currentTarget.checked)}
        />
      )}
    </FormFrame>
  )
}
