import { PasswordInput, Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { usePageForm } from '~/components/form/use_page_form'
import { post } from '~/visit'
import { Section } from './section'
import type { Base, ProfilePage } from './types'

/** Another email: first an OTP to the new one, then the change. */
export function Address({ base, profile, pendingEmail }: { base: Base } & ProfilePage) {
  return (
    <Section title="Email" hint="You sign in with this address. We send bills and OTPs to it.">
      {pendingEmail ? (
        <Confirm base={base} email={pendingEmail} />
      ) : (
        <Change base={base} current={profile.email} hasPassword={profile.hasPassword} />
      )}
    </Section>
  )
}

function Change(props: { base: Base; current: string; hasPassword: boolean }) {
  const { base, current, hasPassword } = props
  const form = usePageForm({ email: '', current_password: '' }, { to: `${base}/email` })
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

function Confirm({ base, email }: { base: Base; email: string }) {
  const form = usePageForm({ otp: '' }, { to: `${base}/email/confirm` })
  return (
    <FormFrame
      form={form}
      submit="Change email"
      buttons="left"
      onCancel={() => post(`${base}/email/cancel`)}
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
