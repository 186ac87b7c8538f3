import { render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { reread, useChangingProps } from './reread'

const { reload } = vi.hoisted(() => ({ reload: vi.fn() }))
vi.mock('@inertiajs/react', () => ({ router: { reload } }))

function Part({ only }: { only: string[] }) {
  useChangingProps(only)
  return null
}

it('reads what the page says that changes, and all of a page that says nothing', () => {
  const page = render(
    <>
      <Part only={['instance', 'history']} />
      <Part only={['history', 'rows']} />
    </>
  )
  reread()
  expect(reload).toHaveBeenLastCalledWith({ only: ['instance', 'history', 'rows'] })
  page.rerender(<Part only={['instance']} />)
  reread()
  expect(reload).toHaveBeenLastCalledWith({ only: ['instance'] })
  page.unmount()
  reread()
  expect(reload).toHaveBeenLastCalledWith({})
})
