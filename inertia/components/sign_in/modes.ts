import type { LoginState } from '#identity/transformers/page_props'

export type { LoginState }

/** Product, "People": the title of each mode. */
export const modeTitles: Record<LoginState, string> = {
  login: 'Login',
  send_otp: 'Register',
  match_otp: 'Verify OTP',
  check_mail: 'Continue with your email',
}

/** What each mode posts to, below the area's prefix. */
export const modePaths: Record<LoginState, string> = {
  login: '/login',
  send_otp: '/send-otp',
  match_otp: '/match-otp',
  check_mail: '/check-mail',
}

/** The verb on the button. */
export const modeButtonLabels: Record<LoginState, string> = {
  login: 'Login',
  send_otp: 'Send OTP',
  match_otp: 'Verify OTP',
  check_mail: 'Continue',
}

/** What Forgot Password says. */
export const forgotPasswordMessage = 'Enter Mail and Click Send OTP'
