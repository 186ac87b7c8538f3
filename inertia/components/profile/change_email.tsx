import { PasswordInput, Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useInertiaForm } from '~/components/form/use_inertia_form'
import { postVisit } from '~/visit'
import { ProfileSection } from './profile_section'
import type { ProfilePath, ProfilePage } from './types'

/** Changes the email after the person enters the one-time code that was sent to the new address. */
export function ChangeEmail({ base, profile, pendingEmail }: { base: ProfilePath } & ProfilePage) {
  return (
    <ProfileSection
      title="Email"
      hint="You sign in with this address. We send bills and OTPs to it."
    >
      {pendingEmail ? (
        <ConfirmOtpForm base={base} email={pendingEmail} />
      ) : (
        <RequestOtpForm base={base} current={profile.email} hasPassword={profile.hasPassword} />
      )}
    </ProfileSection>
  )
}

function RequestOtpForm(props: { base: ProfilePath; current: string; hasPassword: boolean }) {
  const { base, current, hasPassword } = props
  const form = useInertiaForm({ email: '', current_password: '' }, { to: `${base}/email` })
  return (
    <FormFrame form={form} submit="Send OTP" buttons="left" quiet>
      <Text style={{ overflowWrap: 'anywhere' }}>
        Current email: <strong>{current}</strong>
      </Text>
      <TextInput
        label="New email"
        type="email"
        required
        autoComplete="email"
        {...form.text('email')}
      />
      {hasPassword && (
        <PasswordInput
          label="Current password"
          required
          autoComplete="current-password"
          {...form.text('current_password')}
        />
      )}
    </FormFrame>
  )
}

function ConfirmOtpForm({ base, email }: { base: ProfilePath; email: string }) {
  const form = useInertiaForm({ otp: '' }, { to: `${base}/email/confirm` })
  return (
    <FormFrame
      form={form}
      submit="Change email"
      buttons="left"
      onCancel={() => postVisit(`${base}/email/cancel`)}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>
        Your email changes after you enter the OTP. We sent it to <strong>{email}</strong>.
      </Text>
      <TextInput
        label="OTP"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        {...form.text('otp')}
        onChange={(event) => form.setData({ otp: event.currentTarget.value.replace(/\D/g, '') })}
      />
    </FormFrame>
  )
}
