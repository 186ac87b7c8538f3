import { PasswordInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { usePageForm } from '~/components/form/use_page_form'
import { Section } from './section'
import type { Base } from './types'

const empty = { current_password: '', password: '', confirm_password: '' }

/** A new password; every other browser is signed out. */
export function Password({ base, hasPassword }: { base: Base; hasPassword: boolean }) {
  const form = usePageForm(empty, { to: `${base}/password`, onDone: () => form.reset() })
  const input = (name: keyof typeof empty, label: string, autoComplete: string) => (
    <PasswordInput
      label={label}
      required
      autoComplete={autoComplete}
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide password' }}
      {...form.text(name)}
    />
  )
  return (
    <Section
      title="Password"
      hint="At least 10 characters. Changing the password signs out all other browsers."
    >
      <FormFrame form={form} submit="Change password" buttons="left" quiet>
        {hasPassword && input('current_password', 'Current password', 'current-password')}
        {input('password', 'New password', 'new-password')}
        {input('confirm_password', 'Confirm Password', 'new-password')}
      </FormFrame>
    </Section>
  )
}
