import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Button, Group, TextInput } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import type { fieldProps as fieldOf } from '@ui/form_field'
import { generatePassword } from '~/components/database/password_field'
import type { SharedProps } from '~/types'
import styles from './project.module.css'

interface WordpressFieldsProps {
  field: (name: string) => ReturnType<typeof fieldOf>
}

/**
 * Shows fields for the first administrator. If a new WordPress had no administrator, any visitor could complete its
 * installer.
 */
export function WordpressFields({ field }: WordpressFieldsProps) {
  const { user } = usePage<SharedProps>().props
  const [password, setPassword] = useState(generatePassword)
  return (
    <fieldset className={styles.fields}>
      <legend>WordPress administrator</legend>
      <TextInput
        label="WordPress User Name"
        required
        minLength={2}
        maxLength={60}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        defaultValue={userNameFromEmail(user?.email ?? '')}
        {...field('wordpress_user')}
      />
      <TextInput
        label="WordPress Email"
        type="email"
        required
        maxLength={100}
        autoComplete="off"
        defaultValue={user?.email}
        {...field('wordpress_email')}
      />
      <div>
        <TextInput
          label="WordPress Password"
          description="At least 10 characters. Copy it now: it is not shown again."
          required
          minLength={10}
          maxLength={128}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          {...field('wordpress_password')}
        />
        <Group gap={6} mt={6}>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setPassword(generatePassword())}
          >
            Generate
          </Button>
          {password && <CopyButton value={password} copied="Copied" what="WordPress password" />}
        </Group>
      </div>
    </fieldset>
  )
}

/** Returns the allowed characters before the @, or `admin` if fewer than two remain. */
function userNameFromEmail(email: string): string {
  const name = email.split('@')[0]!.replace(/[^A-Za-z0-9_.-]/g, '')
  return name.length > 1 ? name.slice(0, 60) : 'admin'
}
