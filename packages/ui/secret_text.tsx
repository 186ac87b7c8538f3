import { useState } from 'react'
import IconEye from '@tabler/icons-react/dist/esm/icons/IconEye.mjs'
import IconEyeOff from '@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs'
import { CopyButton } from './copy_button'
import copyStyles from './copy_button.module.css'

interface SecretTextProps {
  value: string
  /** the toast: "Secret Key Copied!" */
  copied: string
  what?: string
  /** offers to show it */
  revealable?: boolean
}

/** A secret, masked; it can be copied without being shown. */
export function SecretText({
  value,
  copied,
  what = 'secret',
  revealable = false,
}: SecretTextProps) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? IconEyeOff : IconEye
  const label = shown ? `Hide ${what}` : `Show ${what}`
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 2, minWidth: 0 }}>
      <span className="mono" style={{ overflowWrap: 'anywhere' }}>
        {shown ? (
          value
        ) : (
          <>
            <span aria-hidden>{'•'.repeat(10)}</span>
            <span className="visually-hidden">hidden</span>
          </>
        )}
      </span>
      {revealable && (
        <button
          type="button"
          className={copyStyles.button}
          aria-label={label}
          title={label}
          onClick={() => setShown(!shown)}
        >
          <Icon size={15} stroke={1.75} aria-hidden />
        </button>
      )}
      <CopyButton value={value} copied={copied} what={what} />
    </span>
  )
}
