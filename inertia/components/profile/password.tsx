import { useForm } from '@inertiajs/react'
import { Button, PasswordInput } from '@mantine/core'
import { field } from '@ui/form_field'
import { Section } from './section'
import styles from './section.module.css'
import type { Base } from './types'

/** A new password; every other browser is signed out. */
export function Password({ base, hasPassword }: { base: Base; hasPassword: boolean }) {
  const form = useForm({ current_password: '', password: '', confirm_password: '' })
  const input = (name: keyof typeof form.data, label: string, autoComplete: string) => (
    <PasswordInput
      {...field(name, form.errors)}
      label={label}
      required
      minLength={name === 'current_password' ? undefined : 10}
      autoComplete={autoComplete}
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
      value={form.data[name]}
      onChange={(event) => form.setData(name, event.currentTarget.value)}
    />
  )
  return (
    <Section
      title="Password"
      hint="At least 10 characters. Changing it signs all other browsers out."
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          form.post(`${base}/password`, {
            preserveScroll: true,
            onSuccess: () => form.reset(),
          })
        }}
      >
        {hasPassword && input('current_password', 'Current password', 'current-password')}
        {input('password', 'New password', 'new-password')}
        {input('confirm_password', 'Confirm Password', 'new-password')}
        <Button type="submit" variant="default" loading={form.processing}>
          Change password
        </Button>
      </form>
    </Section>
  )
}
