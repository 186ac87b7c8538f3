import { PasswordInput, TextInput } from '@mantine/core'
import { fieldProps } from '@ui/form_field'
import type { SignInForm } from './use_sign_in'

type SignInFieldProps = Pick<SignInForm, 'form' | 'frame'>

const visibilityToggleProps = { 'aria-label': 'Show or hide password' }

export function EmailField({ form, frame, readOnly }: SignInFieldProps & { readOnly?: boolean }) {
  return (
    <TextInput
      {...fieldProps('email', frame.errors)}
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

export function PasswordField({ form, frame, choose }: SignInFieldProps & { choose?: boolean }) {
  return (
    <PasswordInput
      {...fieldProps('password', frame.errors)}
      label="Password"
      required
      description={choose ? 'At least 10 characters' : undefined}
      autoComplete={choose ? 'new-password' : 'current-password'}
      visibilityToggleButtonProps={visibilityToggleProps}
      value={form.data.password}
      onChange={(event) => form.setData('password', event.currentTarget.value)}
    />
  )
}

export function ConfirmPasswordField({ form, frame }: SignInFieldProps) {
  return (
    <PasswordInput
      {...fieldProps('confirm_password', frame.errors)}
      label="Confirm Password"
      required
      autoComplete="new-password"
      visibilityToggleButtonProps={visibilityToggleProps}
      value={form.data.confirm_password}
      onChange={(event) => form.setData('confirm_password', event.currentTarget.value)}
    />
  )
}

export function OtpField({ form, frame }: SignInFieldProps) {
  return (
    <TextInput
      {...fieldProps('otp', frame.errors)}
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
