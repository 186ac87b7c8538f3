import { useState } from 'react'
import { fieldProps } from '@ui/form_field'
import type { NonGetRoutePath } from '#core/page_addresses'
import { call } from '~/api_call'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { noErrors, assignErrors } from './form_errors'

type Errors = Record<string, string | string[]>

interface ApiFormOptions<Sent extends Record<string, unknown>> {
  to: NonGetRoutePath
  /** Runs before the request. If it returns `false`, no request is sent. */
  before?: () => Promise<boolean>
  send: (fields: FormData) => Sent
  /** Returns error messages by field. If it returns any, no request is sent. */
  check?: (fields: FormData) => Errors
  byField?: (errors: Record<string, string[]>, sent: Sent) => Errors
  onDone: (data?: unknown) => void
  /** Called after the request failed, for example to reload outdated data. */
  onRefused?: () => void
}

/** Returns props for `FormFrame`. After a success, 404 or 409, reloads the props that may have changed. */
export function useApiForm<Sent extends Record<string, unknown>>(form: ApiFormOptions<Sent>) {
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (element: HTMLFormElement) => {
    const fields = new FormData(element)
    const wrong = form.check?.(fields) ?? {}
    setPlaced(assignErrors(element, wrong))
    if (Object.keys(wrong).length) return
    setBusy(true)
    if (form.before && !(await form.before())) return setBusy(false)
    const sent = form.send(fields)
    const answer = await call(form.to, { method: 'POST', data: sent, toasts: 'successes' })
    setBusy(false)
    if (answer.success) form.onDone(answer.data)
    else {
      const errors = form.byField?.(answer.errors, sent) ?? answer.errors
      setPlaced(assignErrors(element, errors, answer.message))
      form.onRefused?.()
    }
    if (answer.success || answer.status === 409 || answer.status === 404) reloadChangingProps()
  }

  return { ...placed, busy, submit, field: (name: string) => fieldProps(name, placed.errors) }
}
