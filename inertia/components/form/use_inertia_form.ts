import { useState } from 'react'
import type { FormDataType } from '@inertiajs/core'
import { useForm } from '@inertiajs/react'
import { fieldProps } from '@ui/form_field'
import type { NonGetRoutePath } from '#core/page_addresses'
import { noErrors, assignErrors } from './form_errors'

interface InertiaFormOptions<Data> {
  to: NonGetRoutePath
  extraFields?: Record<string, string | number>
  onDone?: (data: Data) => void
}

/** Returns props for `FormFrame`. Submitting visits a page, whose props contain the errors. */
export function useInertiaForm<Data extends FormDataType<Data>>(
  initial: Data,
  { to, extraFields, onDone }: InertiaFormOptions<Data>
) {
  const { data, setData, reset, ...form } = useForm<Data>(initial)
  const [placed, setPlaced] = useState(noErrors)
  form.transform((values) => ({ ...values, ...extraFields }))

  const submit = (element: HTMLFormElement) => {
    setPlaced(noErrors)
    form.post(to, {
      preserveScroll: true,
      onSuccess: () => onDone?.(data),
      onError: (errors) => setPlaced(assignErrors(element, errors)),
    })
  }

  const at = (name: keyof Data & string) => fieldProps(name, placed.errors)
  return {
    ...placed,
    busy: form.processing,
    submit,
    data,
    setData,
    reset,
    field: at,
    /** Returns the props of a text input. */
    text: (name: keyof Data & string) => ({
      ...at(name),
      value: String(data[name] ?? ''),
      onChange: (event: { currentTarget: { value: string } }) =>
        setData({ ...data, [name]: event.currentTarget.value }),
    }),
  }
}
