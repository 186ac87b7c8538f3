import { render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { reread, useChangingProps } from './reread'
import { step } from '~/step'

const { reload, push } = vi.hoisted(() => ({ reload: vi.fn(), push: vi.fn() }))
vi.mock('@inertiajs/react', () => ({ router: { reload, push } }))

function Part({ only }: { only: string[] }) {
  useChangingProps(only)
  return null
}

it('reads what the page says that changes, and all of a page that says nothing', () => {
  reload.mockImplementation(({ onFinish }) => onFinish())
  const page = render(
    <>
      <Part only={['instance', 'history']} />
      <Part only={['history', 'rows']} />
    </>
  )
  reread()
  expect(reload).toHaveBeenLastCalledWith(
    expect.objectContaining({ only: ['instance', 'history', 'rows'] })
  )
  page.rerender(<Part only={['instance']} />)
  reread()
  expect(reload).toHaveBeenLastCalledWith(expect.objectContaining({ only: ['instance'] }))
  page.unmount()
  reread()
  expect(reload.mock.lastCall![0]).not.toHaveProperty('only')
})

it('is not written over a step that somebody makes meanwhile, and is done again after it', () => {
  reload.mockReset()
  const finish = () => reload.mock.lastCall![0].onFinish()
  reread()
  const cancel = vi.fn(finish)
  reload.mock.lastCall![0].onCancelToken({ cancel })
  step('/server-instance/1?tab=domains')
  expect(cancel).toHaveBeenCalledBefore(push)
  expect(push.mock.lastCall![0]).toMatchObject({ url: '/server-instance/1?tab=domains' })
  expect(reload).toHaveBeenCalledOnce()
  push.mock.lastCall![0].onFinish()
  expect(reload).toHaveBeenCalledTimes(2)
  finish()
  step('/server-instance/1')
  push.mock.lastCall![0].onFinish()
  expect(reload).toHaveBeenCalledTimes(2)
})
