import { MantineProvider, TextInput } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { Dialog } from './dialog'
import { FormFrame } from './form_frame'

const onClose = vi.fn()
const form = { errors: {}, formError: null, busy: false, submit: () => {} }

beforeEach(() => {
  onClose.mockClear()
  render(
    <MantineProvider env="test">
      <Dialog opened title="Add host" onClose={onClose}>
        <FormFrame form={form} submit="Add" onCancel={onClose}>
          <TextInput label="Token" name="token" defaultValue="old" />
        </FormFrame>
      </Dialog>
    </MantineProvider>
  )
})

it('a dialog closes immediately if nothing was typed', async () => {
  await userEvent.click(screen.getByLabelText('Token'))
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

it('a dialog asks for confirmation before input is discarded, and “Keep editing” keeps the input', async () => {
  const input = screen.getByLabelText<HTMLInputElement>('Token')
  await userEvent.type(input, 'er')
  await userEvent.keyboard('{Escape}')
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Keep editing' }))
  expect(input.value).toBe('older')

  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(onClose).toHaveBeenCalledOnce()
})

it('a dialog closes without a question after a click on Cancel, or if the input has its original value again', async () => {
  const input = screen.getByLabelText('Token')
  await userEvent.type(input, 'x{Backspace}')
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
  await userEvent.type(input, 'x')
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalledTimes(2)
})
