import { useEffect, useState } from 'react'
import { useForm, usePage } from '@inertiajs/react'
import { pushUrl } from '~/client_navigation'
import { noErrors, type FormErrors, assignErrors } from '~/components/form/form_errors'
import type { LoginPage } from '#identity/transformers/page_props'
import { deleteAllUnsentFiles } from '~/components/support/unsent_files'
import type { WithSharedProps, SharedProps } from '~/types'
import { modePaths, type LoginState } from './modes'

export type SignInProps = Pick<
  LoginPage,
  'loginState' | 'email' | 'userId' | 'resendAt' | 'csrfToken'
>

/**
 * Values of the URL parameter `action` by mode of the form. `login`, the default, needs none. `match_otp` has none,
 * because only the server knows whether a code is pending.
 */
const urlActions: Partial<Record<LoginState, string>> = {
  send_otp: 'get-started',
  check_mail: 'check-mail',
}

/** Each change of mode by `go` adds a history entry, so that Back returns to the previous mode. */
export function useSignIn(
  { loginState: mode, email, userId, csrfToken }: SignInProps,
  prefix: '' | '/admin'
) {
  const [notice, setNotice] = useState<{ mode: LoginState; message: string } | null>(null)
  const message = notice?.mode === mode ? notice.message : ''
  const form = useForm({ email, otp: '', password: '', confirm_password: '' })
  // If the form was submitted before the scripts had loaded, the server rendered the errors into the page's props.
  const { errors } = usePage<WithSharedProps>().props
  const [placed, setPlaced] = useState<FormErrors>({ errors: errors ?? {}, formError: null })
  // The previous person may just have signed out. Their unsent files must not stay in the browser.
  useEffect(() => void deleteAllUnsentFiles(prefix), [prefix])

  const send = (what: LoginState, element?: HTMLFormElement) => {
    setPlaced(noErrors)
    form.transform((data) => (what === 'match_otp' ? { ...data, user_id: userId } : data))
    form.post(prefix + modePaths[what], {
      preserveScroll: true,
      onSuccess: (page) => {
        if (!(page.props as Partial<SharedProps>).notice?.success) return
        setNotice(null)
        form.setData((data) => ({ ...data, otp: '', password: '', confirm_password: '' }))
      },
      onError: (errors) => {
        if (element) setPlaced(assignErrors(element, errors))
        // Only a failed sign-in clears the password. If the code of a password reset was wrong, the
        // new password stays.
        if (what === 'login') form.setData((data) => ({ ...data, password: '' }))
      },
    })
  }

  const go = (to: LoginState, noticeText = '') => {
    setPlaced(noErrors)
    setNotice({ mode: to, message: noticeText })
    const action = urlActions[to]
    pushUrl(`${prefix}/login${action ? `?action=${action}` : ''}`, { loginState: to })
  }

  const frame = {
    ...placed,
    busy: form.processing,
    submit: (element: HTMLFormElement) => send(mode, element),
    native: { action: prefix + modePaths[mode], csrfToken },
  }
  return { mode, message, form, frame, send, go }
}

export type SignInForm = ReturnType<typeof useSignIn>
