import { useState } from 'react'
import { fieldProps } from '@ui/form_field'
import type { NonGetRoutePath } from '#core/page_addresses'
import { call } from '~/api_call'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { noErrors, assignErrors } from './form_errors'

type Errors = Record<string, string | string[]>

interface ApiFormOptions<Sent extends Record<string, unknown>> {
  to: NonGetRoutePath
  /** what has to be done before, and whether it was */
  before?: () => Promise<boolean>
  /** what is sent, of what the fields hold */
  send: (fields: FormData) => Sent
  /** what the page itself can tell to be wrong: field -> words; nothing is sent then */
  check?: (fields: FormData) => Errors
  /** where the server names its structure: its errors by the fields of the form */
  byField?: (errors: Record<string, string[]>, sent: Sent) => Errors
  /** with what the call answered */
  onDone: (data?: unknown) => void
  /** what to look at again when it was refused */
  onRefused?: () => void
}

/**
 * A form that is sent by a call, for `FormFrame`. What was done is said by a toast, what was refused
 * in the form; then what changes on the page is read anew.
 */
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
