import type { LoginState } from '#identity/transformers/page_props'

export type { LoginState }

/** Titles that docs/product.md, "People" requires. */
export const modeTitles: Record<LoginState, string> = {
  login: 'Login',
  send_otp: 'Register',
  match_otp: 'Verify OTP',
  check_mail: 'Continue with your email',
}

/** Paths without the area's prefix. */
export const modePaths: Record<LoginState, string> = {
  login: '/login',
  send_otp: '/send-otp',
  match_otp: '/match-otp',
  check_mail: '/check-mail',
}

export const modeButtonLabels: Record<LoginState, string> = {
  login: 'Login',
  send_otp: 'Send OTP',
  match_otp: 'Verify OTP',
  check_mail: 'Continue',
}

export const forgotPasswordMessage = 'Enter Mail and Click Send OTP'
