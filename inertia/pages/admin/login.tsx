import { Head, usePage } from '@inertiajs/react'
import {
  ConfirmPasswordField,
  EmailField,
  OtpField,
  PasswordField,
} from '~/components/sign_in/fields'
import { forgotPasswordMessage } from '~/components/sign_in/modes'
import { ResendOtpButton } from '~/components/sign_in/resend_otp_button'
import styles from '~/components/sign_in/sign_in.module.css'
import { useSignIn } from '~/components/sign_in/use_sign_in'
import type { WithSharedProps } from '~/types'
import { FormFrame } from '@ui/form_frame'
import type { LoginPage } from '#identity/transformers/page_props'

const titles = {
  login: 'Login',
  check_mail: 'Login',
  send_otp: 'Forgot password',
  match_otp: 'Verify OTP',
}
const verbs = {
  login: 'Login',
  check_mail: 'Login',
  send_otp: 'Send OTP',
  match_otp: 'Verify OTP',
}

export default function AdminLogin(props: LoginPage) {
  const { version } = usePage<WithSharedProps>().props
  const { mode: wanted, message, form, frame, send, go } = useSignIn(props, '/admin')
  const mode = wanted === 'check_mail' ? 'login' : wanted
  const invited = props.action === 'invited' && mode === 'send_otp'
  const title = invited ? 'Set your password' : titles[mode]
  const hints = {
    login: 'This login is for administrators and support staff.',
    send_otp: invited
      ? 'Welcome. Enter the email address that received the invitation.'
      : forgotPasswordMessage,
    match_otp:
      'If the email belongs to staff, we sent it an OTP (one-time code) that is valid for 10 minutes.',
  }

  return (
    <div className={styles.page}>
      <Head title={title} />
      <h1>{title}</h1>
      <p className={styles.hint} role="status">
        {message || hints[mode]}
      </p>
      <FormFrame
        form={frame}
        submit={verbs[mode]}
        buttons="wide"
        below={
          <div className={styles.row}>
            {mode === 'login' ? (
              <button type="button" className={styles.text} onClick={() => go('send_otp')}>
                Forgot password
              </button>
            ) : (
              <button type="button" className={styles.text} onClick={() => go('login')}>
                Back to login
              </button>
            )}
            {mode === 'match_otp' && (
              <ResendOtpButton resendAt={props.resendAt} onSend={() => send('send_otp')} />
            )}
          </div>
        }
      >
        <EmailField form={form} frame={frame} readOnly={mode === 'match_otp'} />
        {mode === 'match_otp' && <OtpField form={form} frame={frame} />}
        {mode !== 'send_otp' && (
          <PasswordField form={form} frame={frame} choose={mode === 'match_otp'} />
        )}
        {mode === 'match_otp' && <ConfirmPasswordField form={form} frame={frame} />}
      </FormFrame>
      <footer className={styles.foot}>
        <span>Berth</span>
        <span>{version}</span>
      </footer>
    </div>
  )
}
