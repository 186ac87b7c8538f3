import { useState } from 'react'
import { useForm } from '@inertiajs/react'
import type { LoginPage } from '#identity/transformers/pages'
import type { SharedProps } from '~/types'
import { calls, type LoginState } from './modes'

export type SignInProps = Pick<LoginPage, 'loginState' | 'email' | 'userId' | 'resendAt'>

/** The one form of a sign-in page: the server's mode, until the visitor chooses another. */
export function useSignIn({ loginState, email, userId }: SignInProps, prefix: '' | '/admin') {
  const [chosen, choose] = useState<LoginState | null>(null)
  const [message, say] = useState('')
  const form = useForm({ email, otp: '', password: '', confirm_password: '' })
  const mode = chosen ?? loginState

  const send = (what: LoginState) => {
    form.transform((data) => (what === 'match_otp' ? { ...data, user_id: userId } : data))
    form.post(prefix + calls[what], {
      preserveScroll: true,
      onSuccess: (page) => {
        if (!(page.props as Partial<SharedProps>).notice?.success) return
        choose(null)
        say('')
        form.setData((data) => ({ ...data, otp: '', password: '', confirm_password: '' }))
      },
      onError: () => form.setData((data) => ({ ...data, password: '', confirm_password: '' })),
    })
  }

  const go = (to: LoginState, words = '') => {
    form.clearErrors()
    choose(to)
    say(words)
  }

  return { mode, message, form, send, go }
}

export type SignIn = ReturnType<typeof useSignIn>
