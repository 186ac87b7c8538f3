import { TextInput } from '@mantine/core'

interface TypedNameProps {
  /** The name that must be typed exactly. */
  of: string
  /** The name of the form field. */
  name: string
  error?: string
  'data-autofocus'?: boolean
}

/** A field for typing a name to confirm an irreversible action. */
export function ConfirmNameInput({ of, ...rest }: TypedNameProps) {
  return (
    <TextInput
      label={
        <>
          Type <code>{of}</code> to confirm
        </>
      }
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      {...rest}
    />
  )
}
