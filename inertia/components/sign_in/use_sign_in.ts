import { useEffect, useState } from 'react'
import { useForm } from '@inertiajs/react'
import { noErrors, placeErrors } from '~/components/form/placed_errors'
import type { LoginPage } from '#identity/transformers/pages'
import { forgetFiles } from '~/components/support/kept_files'
import type { SharedProps } from '~/types'
import { calls, type LoginState } from './modes'

export type SignInProps = Pick<LoginPage, 'loginState' | 'email' | 'userId' | 'resendAt'>

/** The one form of a sign-in page: the server's mode, until the visitor chooses another. */
export function useSignIn({ loginState, email, userId }: SignInProps, prefix: '' | '/admin') {
  const [chosen, choose] = useState<LoginState | null>(null)
  const [message, say] = useState('')
  const form = useForm({ email, otp: '', password: '', confirm_password: '' })
  const [placed, place] = useState(noErrors)
  const mode = chosen ?? loginState
  // Whoever signed out leaves no files in the browser.
  useEffect(() => void forgetFiles(prefix), [prefix])

  const send = (what: LoginState, element?: HTMLFormElement) => {
    place(noErrors)
    form.transform((data) => (what === 'match_otp' ? { ...data, user_id: userId } : data))
    form.post(prefix + calls[what], {
      preserveScroll: true,
      onSuccess: (page) => {
        if (!(page.props as Partial<SharedProps>).notice?.success) return
        choose(null)
        say('')
        form.setData((data) => ({ ...data, otp: '', password: '', confirm_password: '' }))
      },
      onError: (errors) => {
        if (element) place(placeErrors(element, errors))
        form.setData((data) => ({ ...data, password: '', confirm_password: '' }))
      },
    })
  }

  const go = (to: LoginState, words = '') => {
    place(noErrors)
    choose(to)
    say(words)
  }

  const frame = {
    ...placed,
    busy: form.processing,
    submit: (element: HTMLFormElement) => send(mode, element),
  }
  return { mode, message, form, frame, send, go }
}

export type SignIn = ReturnType<typeof useSignIn>
