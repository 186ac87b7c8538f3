import { PasswordInput, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import type { SignIn } from './use_sign_in'

type Fields = Pick<SignIn, 'form' | 'frame'>

const toggle = { 'aria-label': 'Show or hide password' }

export function EmailField({ form, frame, readOnly }: Fields & { readOnly?: boolean }) {
  return (
    <TextInput
      {...field('email', frame.errors)}
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

export function PasswordField({ form, frame, choose }: Fields & { choose?: boolean }) {
  return (
    <PasswordInput
      {...field('password', frame.errors)}
      label="Password"
      required
      description={choose ? 'At least 10 characters' : undefined}
      autoComplete={choose ? 'new-password' : 'current-password'}
      visibilityToggleButtonProps={toggle}
      value={form.data.password}
      onChange={(event) => form.setData('password', event.currentTarget.value)}
    />
  )
}

export function ConfirmField({ form, frame }: Fields) {
  return (
    <PasswordInput
      {...field('confirm_password', frame.errors)}
      label="Confirm Password"
      required
      autoComplete="new-password"
      visibilityToggleButtonProps={toggle}
      value={form.data.confirm_password}
      onChange={(event) => form.setData('confirm_password', event.currentTarget.value)}
    />
  )
}

export function OtpField({ form, frame }: Fields) {
  return (
    <TextInput
      {...field('otp', frame.errors)}
      label="OTP"
      required
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      value={form.data.otp}
      onChange={(event) => form.setData('otp', event.currentTarget.value.replace(/\D/g, ''))}
    />
  )
}
