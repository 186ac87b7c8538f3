import { TextInput } from '@mantine/core'

interface TypedNameProps {
  /** what must be typed, exactly */
  of: string
  /** the field's own name */
  name: string
  error?: string
  'data-autofocus'?: boolean
}

/** Where a name is typed to confirm what cannot be undone. */
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
