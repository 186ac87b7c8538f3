import { PasswordInput, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import type { SignIn } from './use_sign_in'

const toggle = { 'aria-label': 'Show or hide the password' }

export function EmailField({ form, readOnly }: { form: SignIn['form']; readOnly?: boolean }) {
  return (
    <TextInput
      {...field('email', form.errors)}
      label="Email"
      type="email"
      required
      readOnly={readOnly}
      autoComplete="username"
      value={form.data.email}
      onChange={(event) => form.setData('email', event.currentTarget.value)}
    />
  )
}

export function PasswordField({ form, choose }: { form: SignIn['form']; choose?: boolean }) {
  return (
    <PasswordInput
      {...field('password', form.errors)}
      label="Password"
      required
      minLength={choose ? 10 : undefined}
      description={choose ? 'At least 10 characters' : undefined}
      autoComplete={choose ? 'new-password' : 'current-password'}
      visibilityToggleButtonProps={toggle}
      value={form.data.password}
      onChange={(event) => form.setData('password', event.currentTarget.value)}
    />
  )
}

export function ConfirmField({ form }: { form: SignIn['form'] }) {
  return (
    <PasswordInput
      {...field('confirm_password', form.errors)}
      label="Confirm Password"
      required
      autoComplete="new-password"
      visibilityToggleButtonProps={toggle}
      value={form.data.confirm_password}
      onChange={(event) => form.setData('confirm_password', event.currentTarget.value)}
    />
  )
}

export function OtpField({ form }: { form: SignIn['form'] }) {
  return (
    <TextInput
      {...field('otp', form.errors)}
      label="OTP"
      required
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      pattern="[0-9]{6}"
      title="6 digits"
      value={form.data.otp}
      onChange={(event) => form.setData('otp', event.currentTarget.value.replace(/\D/g, ''))}
    />
  )
}
