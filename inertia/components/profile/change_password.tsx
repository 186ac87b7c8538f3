import { PasswordInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useInertiaForm } from '~/components/form/use_inertia_form'
import { ProfileSection } from './profile_section'
import type { ProfilePath } from './types'

const empty = { current_password: '', password: '', confirm_password: '' }

export function ChangePassword({ base, hasPassword }: { base: ProfilePath; hasPassword: boolean }) {
  const form = useInertiaForm(empty, { to: `${base}/password`, onDone: () => form.reset() })
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
    <ProfileSection
      title="Password"
      hint="At least 10 characters. Changing the password signs out all other browsers."
    >
      <FormFrame form={form} submit="Change password" buttons="left" quiet>
        {hasPassword && input('current_password', 'Current password', 'current-password')}
        {input('password', 'New password', 'new-password')}
        {input('confirm_password', 'Confirm Password', 'new-password')}
      </FormFrame>
    </ProfileSection>
  )
}
