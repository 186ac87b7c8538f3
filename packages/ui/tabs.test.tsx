import { useState } from 'react'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { Tabs } from './tabs'

function Page() {
  const [tab, setTab] = useState('metrics')
  return (
    <Tabs
      label="Instance"
      value={tab}
      onChange={setTab}
      tabs={[
        { key: 'metrics', label: 'Metrics', panel: <input aria-label="range" /> },
        {
          key: 'terminal',
          label: 'Terminal',
          panel: <input aria-label="shell" />,
          keepAlive: true,
        },
      ]}
    />
  )
}

it('arrow keys switch tabs, and a panel with `keepAlive` stays mounted', async () => {
  const user = userEvent.setup()
  render(<Page />)
  expect(screen.queryByLabelText('shell')).toBeNull()

  await user.click(screen.getByRole('tab', { name: 'Terminal' }))
  await user.type(screen.getByLabelText('shell'), 'uname')
  screen.getByRole('tab', { name: 'Terminal' }).focus()
  await user.keyboard('{ArrowRight}')

  expect(screen.getByRole('tab', { name: 'Metrics' })).toHaveProperty('ariaSelected', 'true')
  expect(screen.getByLabelText<HTMLInputElement>('shell').value).toBe('uname')
  await user.keyboard('{ArrowLeft}')
  expect(screen.queryByLabelText('range')).toBeNull()
})
