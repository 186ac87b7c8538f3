import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { DangerDialog } from './confirm_dialog'

it('the action runs only after the exact name was typed', async () => {
  const user = userEvent.setup()
  const onConfirm = vi.fn()
  render(
    <MantineProvider env="test">
      <DangerDialog
        opened
        title="Delete instance"
        name="web-1"
        losses={['Its disk']}
        confirm="Delete"
        mismatch="Instance name does not match. Please type the correct instance name to confirm."
        onConfirm={onConfirm}
        onClose={() => {}}
      />
    </MantineProvider>
  )
  const input = screen.getByRole('textbox')
  await user.type(input, 'web-2{Enter}')
  expect(onConfirm).not.toHaveBeenCalled()
  expect(screen.getByText(/^Instance name does not match/)).toBeDefined()

  await user.clear(input)
  await user.type(input, 'web-1{Enter}')
  expect(onConfirm).toHaveBeenCalledExactlyOnceWith('web-1')
})

it('an error is shown in the dialog, which stays open, and a success closes it', async () => {
  const user = userEvent.setup()
  const onClose = vi.fn()
  const answers = [
    { success: false, message: 'It is being backed up.' },
    { success: true, message: 'Gone.' },
  ]
  render(
    <MantineProvider env="test">
      <DangerDialog
        opened
        question="Sure to delete: shop?"
        confirm="Delete"
        onConfirm={async () => answers.shift()}
        onClose={onClose}
      />
    </MantineProvider>
  )
  const red = screen.getByRole('button', { name: 'Delete' })
  await user.click(red)
  expect((await screen.findByRole('alert')).textContent).toBe('It is being backed up.')
  expect(onClose).not.toHaveBeenCalled()
  await user.click(red)
  expect(onClose).toHaveBeenCalledOnce()
})
