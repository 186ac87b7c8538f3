import { useState } from 'react'
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { NameInput, normaliseName } from './name_input'

it.each([
  ['My Web_Server', '-', 'my-web-server'],
  ['a.b/c$d', '-', 'abcd'],
  ['Ünïcode ১', '-', 'ncode-'],
  ['shop-db 2', '_', 'shop_db_2'],
] as const)('%s with %s becomes %s', (text, joint, name) => {
  expect(normaliseName(text, joint)).toBe(name)
})

function Form() {
  const [name, setName] = useState('')
  return (
    <MantineProvider env="test">
      <NameInput label="Name" value={name} onChange={setName} />
    </MantineProvider>
  )
}

it('a name is normalized during typing, and the cursor stays at its position', async () => {
  const user = userEvent.setup()
  render(<Form />)
  const input = screen.getByLabelText<HTMLInputElement>('Name')
  await user.type(input, 'My Server!')
  expect(input.value).toBe('my-server')
  await user.type(input, 'X Y', { initialSelectionStart: 2, initialSelectionEnd: 2 })
  expect(input.value).toBe('myx-y-server')
  expect(input.selectionStart).toBe(5)
})
