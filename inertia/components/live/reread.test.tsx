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

it('brings no address back that somebody left while its answer waited to be drawn', () => {
  reload.mockReset()
  history.replaceState(null, '', '/server-instance/1?tab=domains#top')
  reread()
  const { onBeforeUpdate, onCancelToken } = reload.mock.lastCall![0]
  onCancelToken({ cancel: () => {} })
  const drawn = () => {
    const answer = { url: '/server-instance/1' }
    onBeforeUpdate(answer)
    return answer.url
  }
  expect(drawn()).toBe('/server-instance/1?tab=domains#top')
  step('/server-instance/1?tab=terminal')
  expect(drawn()).toBe('/server-instance/1?tab=terminal')
  const first = push.mock.lastCall![0]
  step('/server-instance/1?tab=history')
  first.onFinish()
  expect(drawn()).toBe('/server-instance/1?tab=history')
  push.mock.lastCall![0].onFinish()
  expect(drawn()).toBe('/server-instance/1?tab=domains#top')
  for (const [reading] of reload.mock.calls) reading.onFinish()
})

it('gives way to a visit, whose address is another, and is done after it', () => {
  reload.mockReset()
  const told = (what: 'start' | 'finish', visit: object = {}) =>
    document.dispatchEvent(new CustomEvent(`inertia:${what}`, { detail: { visit } }))
  const page = render(<Part only={['rows']} />)
  reread()
  const cancel = vi.fn(() => reload.mock.lastCall![0].onFinish())
  reload.mock.lastCall![0].onCancelToken({ cancel })
  told('start', { async: true })
  expect(cancel).not.toHaveBeenCalled()
  told('start')
  expect(cancel).toHaveBeenCalledOnce()
  reread()
  expect(reload).toHaveBeenCalledOnce()
  told('finish')
  expect(reload).toHaveBeenCalledTimes(2)
  reload.mock.lastCall![0].onFinish()
  told('start')
  told('finish')
  expect(reload).toHaveBeenCalledTimes(2)
  page.unmount()
})
