import { useState } from 'react'
import type { FormDataType } from '@inertiajs/core'
import { useForm } from '@inertiajs/react'
import { field } from '@ui/form_field'
import type { ChangeAddress } from '#core/page_addresses'
import { noErrors, placeErrors } from './placed_errors'

interface PageForm<Data> {
  to: ChangeAddress
  /** what is sent beside the fields */
  beside?: Record<string, string | number>
  onDone?: (data: Data) => void
}

/** A form that is sent as a visit, for `FormFrame`: the answer is the page, with what was wrong. */
export function usePageForm<Data extends FormDataType<Data>>(
  initial: Data,
  { to, beside, onDone }: PageForm<Data>
) {
  const { data, setData, reset, ...form } = useForm<Data>(initial)
  const [placed, place] = useState(noErrors)
  form.transform((values) => ({ ...values, ...beside }))

  const submit = (element: HTMLFormElement) => {
    place(noErrors)
    form.post(to, {
      preserveScroll: true,
      onSuccess: () => onDone?.(data),
      onError: (errors) => place(placeErrors(element, errors)),
    })
  }

  const at = (name: keyof Data & string) => field(name, placed.errors)
  return {
    ...placed,
    busy: form.processing,
    submit,
    data,
    setData,
    reset,
    field: at,
    /** The props of an input of text. */
    text: (name: keyof Data & string) => ({
      ...at(name),
      value: String(data[name] ?? ''),
      onChange: (event: { currentTarget: { value: string } }) =>
        setData({ ...data, [name]: event.currentTarget.value }),
    }),
  }
}
