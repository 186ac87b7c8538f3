import { MantineProvider, TextInput } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { fieldProps } from './form_field'
import { FormFrame, type FormHandle } from './form_frame'

function Form({ form, reason }: { form: Partial<FormHandle>; reason?: string }) {
  const whole = { errors: {}, formError: null, busy: false, submit: () => {}, ...form }
  return (
    <MantineProvider env="test">
      <FormFrame form={whole} submit="Save" reason={reason}>
        <TextInput label="Name" required {...fieldProps('name', whole.errors)} />
        <TextInput label="Email" type="email" {...fieldProps('email', whole.errors)} />
      </FormFrame>
    </MantineProvider>
  )
}

it('a form submits values that browser validation would reject, because the server returns the error message', async () => {
  const submit = vi.fn()
  render(<Form form={{ submit }} />)
  await userEvent.type(screen.getByLabelText('Email'), 'no email{Enter}')
  expect(submit).toHaveBeenCalledOnce()
})

it('a form shows an error once, at its field, and focuses the field', () => {
  const { rerender } = render(<Form form={{}} />)
  rerender(<Form form={{ errors: { email: ['Enter a valid email address.'] } }} />)
  expect(screen.getAllByText('Enter a valid email address.')).toHaveLength(1)
  expect(document.activeElement).toBe(screen.getByLabelText('Email'))
  expect(screen.queryByRole('alert')).toBeNull()
})

it('a form shows an error that belongs to no field above the buttons, and scrolls to the error', () => {
  const seen: (string | null)[] = []
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    seen.push(this.textContent)
  })
  render(<Form form={{ formError: 'There is no room.' }} />)
  expect(screen.getByRole('alert').textContent).toBe('There is no room.')
  expect(seen).toEqual(['There is no room.'])
})

it('a form cannot be submitted twice, nor while a reason prevents the submission', async () => {
  const submit = vi.fn()
  const { rerender } = render(<Form form={{ submit, busy: true }} />)
  await userEvent.type(screen.getByLabelText(/^Name/), 'a{Enter}')
  rerender(<Form form={{ submit }} reason="Choose a package." />)
  await userEvent.type(screen.getByLabelText(/^Name/), 'a{Enter}')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(submit).not.toHaveBeenCalled()
  expect(screen.getByRole('button').getAttribute('aria-description')).toBe('Choose a package.')
})
