import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { TypedNameDialog } from './typed_name_dialog'

it('goes on only with the exact name', async () => {
  const user = userEvent.setup()
  const onConfirm = vi.fn()
  render(
    <MantineProvider env="test">
      <TypedNameDialog
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
