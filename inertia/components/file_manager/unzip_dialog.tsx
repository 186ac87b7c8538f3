import { useState } from 'react'
import { NativeSelect } from '@mantine/core'
import type { CallResult } from '~/api_call'
import { NameDialog } from './name_dialog'

/** Must equal `ARCHIVE_ENCODINGS` in `app/files`. */
const encodings = [
  { value: '', label: 'Automatic (UTF-8, otherwise code page 437)' },
  { value: 'cp850', label: 'Western European (code page 850)' },
  { value: 'cp852', label: 'Central European (code page 852)' },
  { value: 'cp866', label: 'Cyrillic (code page 866)' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)' },
  { value: 'windows-1252', label: 'Western European (Windows-1252)' },
  { value: 'gbk', label: 'Simplified Chinese (GBK)' },
  { value: 'big5', label: 'Traditional Chinese (Big5)' },
  { value: 'shift_jis', label: 'Japanese (Shift JIS)' },
  { value: 'euc-kr', label: 'Korean (EUC-KR)' },
]

interface UnzipDialogProps {
  name: string
  /** Path of the open folder. */
  path: string
  onConfirm: (destination: string, encoding: string) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** Mount it only while it is open. */
export function UnzipDialog({ name, path, onConfirm, onClose }: UnzipDialogProps) {
  const [encoding, setEncoding] = useState('')
  return (
    <NameDialog
      title={`Unzip ${name}`}
      label="Destination folder"
      description="Relative to the web root. Leave empty for the web root itself. If files already exist, you can choose what happens."
      confirm="Unzip"
      initial={path}
      mayBeEmpty
      sameIsFine
      onClose={onClose}
      onConfirm={(destination) => onConfirm(destination, encoding)}
    >
      <NativeSelect
        label="File name encoding"
        description="Change it only if file names looked wrong after an earlier attempt."
        data={encodings}
        value={encoding}
        onChange={(event) => setEncoding(event.currentTarget.value)}
      />
    </NameDialog>
  )
}
