import { TextInput } from '@mantine/core'

interface TypedNameProps {
  of: string
  name: string
  error?: string
  'data-autofocus'?: boolean
}

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
