import { TextInput, type TextInputProps } from '@mantine/core'

/**
 * Normalizes a name during typing: converts it to lower case, replaces spaces and underscores by `-`, and drops other
 * characters. Database names have `_` instead of `-`.
 */
export function normaliseName(text: string, joint: '-' | '_' = '-') {
  return text
    .toLowerCase()
    .replace(/[\s_-]/gu, joint)
    .replace(joint === '-' ? /[^a-z0-9-]/gu : /[^a-z0-9_]/gu, '')
}

interface NameInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  onChange: (name: string) => void
  joint?: '-' | '_'
}

export function NameInput({ value, onChange, joint = '-', ...rest }: NameInputProps) {
  return (
    <TextInput
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      {...rest}
      value={value}
      onChange={(event) => {
        const input = event.currentTarget
        const before = normaliseName(input.value.slice(0, input.selectionStart ?? undefined), joint)
        const name = normaliseName(input.value, joint)
        input.value = name
        input.setSelectionRange(before.length, before.length)
        onChange(name)
      }}
    />
  )
}
