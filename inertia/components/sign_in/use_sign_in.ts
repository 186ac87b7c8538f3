import { useEffect, useState } from 'react'
import { useForm, usePage } from '@inertiajs/react'
import { step } from '~/step'
import { noErrors, type PlacedErrors, placeErrors } from '~/components/form/placed_errors'
import type { LoginPage } from '#identity/transformers/pages'
import { forgetFiles } from '~/components/support/stored_files'
import type { Props, SharedProps } from '~/types'
import { calls, type LoginState } from './modes'

export type SignInProps = Pick<
  LoginPage,
  'loginState' | 'email' | 'userId' | 'resendAt' | 'csrfToken'
>

/** What a mode is called in the address; the server says when an OTP is waited for. */
const actions: Partial<Record<LoginState, string>> = {
  send_otp: 'get-started',
  check_mail: 'check-mail',
}

/** The one form of a sign-in page. Another mode is a step to another address, so that Back leads back. */
export function useSignIn(
  { loginState: mode, email, userId, csrfToken }: SignInProps,
  prefix: '' | '/admin'
) {
  const [said, say] = useState<{ mode: LoginState; words: string } | null>(null)
  const message = said?.mode === mode ? said.words : ''
  const form = useForm({ email, otp: '', password: '', confirm_password: '' })
  // After a submit without our script, the page itself contains the errors.
  const { errors } = usePage<Props>().props
  const [placed, place] = useState<PlacedErrors>({ errors: errors ?? {}, formError: null })
  // Whoever signed out leaves no files in the browser.
  useEffect(() => void forgetFiles(prefix), [prefix])

  const send = (what: LoginState, element?: HTMLFormElement) => {
    place(noErrors)
    form.transform((data) => (what === 'match_otp' ? { ...data, user_id: userId } : data))
    form.post(prefix + calls[what], {
      preserveScroll: true,
      onSuccess: (page) => {
        if (!(page.props as Partial<SharedProps>).notice?.success) return
        say(null)
        form.setData((data) => ({ ...data, otp: '', password: '', confirm_password: '' }))
      },
      onError: (errors) => {
        if (element) place(placeErrors(element, errors))
        // What was chosen is not wrong because the OTP was.
        if (what === 'login') form.setData((data) => ({ ...data, password: '' }))
      },
    })
  }

  const go = (to: LoginState, words = '') => {
    place(noErrors)
    say({ mode: to, words })
    const action = actions[to]
    step(`${prefix}/login${action ? `?action=${action}` : ''}`, { loginState: to })
  }

  const frame = {
    ...placed,
    busy: form.processing,
    submit: (element: HTMLFormElement) => send(mode, element),
    native: { action: prefix + calls[mode], csrfToken },
  }
  return { mode, message, form, frame, send, go }
}

export type SignIn = ReturnType<typeof useSignIn>
