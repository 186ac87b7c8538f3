import type { ReactNode } from 'react'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { Link } from './link'

interface Given {
  children: ReactNode
  onError?: (errors: Record<string, string>) => void
}

const { notify } = vi.hoisted(() => ({ notify: vi.fn() }))
vi.mock('@ui/notify', () => ({ notify }))
vi.mock('@inertiajs/react', () => ({
  Link: ({ children, onError }: Given) => (
    <button onClick={() => onError?.({ one: 'Not now.', other: 'Not now.' })}>{children}</button>
  ),
}))

it('a rejected POST link shows the reason once as a toast', async () => {
  render(
    <>
      <Link href="/profile">Profile</Link>
      <Link href="/logout" method="post">
        Logout
      </Link>
    </>
  )
  await userEvent.click(screen.getByText('Profile'))
  expect(notify).not.toHaveBeenCalled()
  await userEvent.click(screen.getByText('Logout'))
  expect(notify).toHaveBeenCalledExactlyOnceWith({ success: false, message: 'Not now.' })
})
