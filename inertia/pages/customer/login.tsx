import { Head, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import IconBrandGoogle from '@tabler/icons-react/dist/esm/icons/IconBrandGoogle.mjs'
import { Link } from '~/components/link'
import {
  ConfirmPasswordField,
  EmailField,
  OtpField,
  PasswordField,
} from '~/components/sign_in/fields'
import { forgotPasswordMessage, modeTitles, modeButtonLabels } from '~/components/sign_in/modes'
import { ResendOtpButton } from '~/components/sign_in/resend_otp_button'
import styles from '~/components/sign_in/sign_in.module.css'
import { useSignIn } from '~/components/sign_in/use_sign_in'
import type { WithSharedProps } from '~/types'
import { FormFrame } from '@ui/form_frame'
import type { LoginPage } from '#identity/transformers/page_props'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'

const hints = {
  login: 'Welcome back.',
  send_otp:
    'We send an OTP (one-time code) to your email. Use it to create an account or set a new password.',
  match_otp: 'Enter the OTP from the email and choose a password.',
  check_mail: 'Enter your email. Then sign in with your password or an OTP (one-time code).',
}

/** Shows one form in four modes (docs/product.md, "People"). */
export default function Login(props: LoginPage) {
  const { version } = usePage<WithSharedProps>().props
  const { mode, message, form, frame, send, go } = useSignIn(props, '')
  const { googleReason, resendAt } = props

  return (
    <div className={styles.page}>
      <Head title={modeTitles[mode]} />
      <h1>{modeTitles[mode]}</h1>
      <p className={styles.hint} role="status">
        {message || hints[mode]}
      </p>
      <FormFrame
        form={frame}
        submit={modeButtonLabels[mode]}
        buttons="wide"
        below={
          <div className={styles.row}>
            {mode === 'login' ? (
              <>
                <button
                  type="button"
                  className={styles.text}
                  onClick={() => go('send_otp', forgotPasswordMessage)}
                >
                  Forgot Password
                </button>
                <button type="button" className={styles.text} onClick={() => go('send_otp')}>
                  Create New Account
                </button>
              </>
            ) : (
              <button type="button" className={styles.text} onClick={() => go('login')}>
                Already Has Account? Login
              </button>
            )}
            {mode === 'match_otp' && (
              <ResendOtpButton resendAt={resendAt} onSend={() => send('send_otp')} />
            )}
          </div>
        }
      >
        <EmailField form={form} frame={frame} readOnly={mode === 'match_otp'} />
        {mode === 'match_otp' && <OtpField form={form} frame={frame} />}
        {(mode === 'login' || mode === 'match_otp') && (
          <PasswordField form={form} frame={frame} choose={mode === 'match_otp'} />
        )}
        {mode === 'match_otp' && <ConfirmPasswordField form={form} frame={frame} />}
      </FormFrame>
      <div className={styles.or}>or</div>
      {googleReason ? (
        <ButtonWithDisabledReason
          reason={googleReason}
          variant="default"
          fullWidth
          leftSection={<IconBrandGoogle size={18} stroke={1.75} aria-hidden />}
        >
          Continue With Google
        </ButtonWithDisabledReason>
      ) : (
        <Button
          component="a"
          href="/google/redirect"
          variant="default"
          fullWidth
          leftSection={<IconBrandGoogle size={18} stroke={1.75} aria-hidden />}
        >
          Continue With Google
        </Button>
      )}
      {mode === 'login' && (
        <div className={styles.row} style={{ justifyContent: 'center', marginTop: 16 }}>
          <button type="button" className={styles.text} onClick={() => go('check_mail')}>
            Not sure whether you have an account?
          </button>
        </div>
      )}
      <footer className={styles.foot}>
        <Link href="/services">Services</Link>
        <span>{version}</span>
      </footer>
    </div>
  )
}
