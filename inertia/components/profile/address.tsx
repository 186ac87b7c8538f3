import { useForm } from '@inertiajs/react'
import { Button, PasswordInput, Text, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import { post } from '~/visit'
import { Section } from './section'
import styles from './section.module.css'
import type { Base, ProfilePage } from './types'

/** Another email: first an OTP to the new one, then the change. */
export function Address({ base, profile, pendingEmail }: { base: Base } & ProfilePage) {
  return (
    <Section title="Email" hint="You sign in with it, and bills and OTPs go there.">
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
  const form = useForm({ email: '', current_password: '' })
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        form.post(`${base}/email`, { preserveScroll: true, onSuccess: () => form.reset() })
      }}
    >
      <Text>
        Now: <strong>{current}</strong>
      </Text>
      <TextInput
        {...field('email', form.errors)}
        label="New email"
        type="email"
        required
        autoComplete="email"
        value={form.data.email}
        onChange={(event) => form.setData('email', event.currentTarget.value)}
      />
      {hasPassword && (
        <PasswordInput
          {...field('current_password', form.errors)}
          label="Current password"
          required
          autoComplete="current-password"
          value={form.data.current_password}
          onChange={(event) => form.setData('current_password', event.currentTarget.value)}
        />
      )}
      <Button type="submit" variant="default" loading={form.processing}>
        Send OTP
      </Button>
    </form>
  )
}

function Confirm({ base, email }: { base: Base; email: string }) {
  const form = useForm({ otp: '' })
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        form.post(`${base}/email/confirm`, { preserveScroll: true })
      }}
    >
      <Text>
        Enter the OTP that we sent to <strong>{email}</strong>. Until then your email stays as it
        is.
      </Text>
      <TextInput
        {...field('otp', form.errors)}
        label="OTP"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        value={form.data.otp}
        onChange={(event) => form.setData('otp', event.currentTarget.value.replace(/\D/g, ''))}
      />
      <div className={styles.buttons}>
        <Button type="submit" loading={form.processing}>
          Change email
        </Button>
        <Button variant="default" onClick={() => post(`${base}/email/cancel`)}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
