import { useState } from 'react'
import { Button, Group, PasswordInput } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { engineLabels } from './engine_labels'
import type { Engine } from './types'
import styles from './database.module.css'

interface PasswordFieldProps {
  engine: Engine
  label?: string
  value: string
  onChange: (password: string) => void
  name: string
  error?: string
  'data-autofocus'?: boolean
}

const PASSWORD_LENGTH = 24
/** Alphabets without characters that look alike or need escaping in a URL. */
const PASSWORD_ALPHABETS = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz', '23456789']

export function generatePassword(): string {
  const all = PASSWORD_ALPHABETS.join('')
  for (;;) {
    const numbers = crypto.getRandomValues(new Uint32Array(PASSWORD_LENGTH))
    const password = Array.from(numbers, (number) => all[number % all.length]).join('')
    const isWhole = PASSWORD_ALPHABETS.every((kind) =>
      [...kind].some((character) => password.includes(character))
    )
    if (isWhole) return password
  }
}

export function passwordErrors(engine: Engine, fields: FormData, name = 'user_password') {
  const { isStrong, passwordHint } = engineLabels[engine]
  const isFine = isStrong(String(fields.get(name) ?? ''))
  return (isFine ? {} : { [name]: passwordHint }) as Record<string, string>
}

export function PasswordField({
  engine,
  label = 'Password',
  value,
  onChange,
  ...field
}: PasswordFieldProps) {
  const [visible, show] = useState(false)
  return (
    <div className={styles.password}>
      <PasswordInput
        label={label}
        description={engineLabels[engine].passwordHint}
        required
        minLength={10}
        maxLength={128}
        autoComplete="new-password"
        visible={visible}
        onVisibilityChange={show}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={field.error ? true : undefined}
        {...field}
      />
      <Group gap={6}>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            onChange(generatePassword())
            show(true)
          }}
        >
          Generate
        </Button>
        {value && <CopyButton value={value} copied="Copied" what="password" />}
      </Group>
    </div>
  )
}
