import { render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { reloadChangingProps, useRegisterChangingProps } from './reload_changing_props'
import { pushUrl } from '~/client_navigation'

const { reload, push } = vi.hoisted(() => ({ reload: vi.fn(), push: vi.fn() }))
vi.mock('@inertiajs/react', () => ({ router: { reload, push } }))

function Part({ only }: { only: string[] }) {
  useRegisterChangingProps(only)
  return null
}

it('a change reloads the registered props, or all props if none are registered', () => {
  reload.mockImplementation(({ onFinish }) => onFinish())
  const page = render(
    <>
      <Part only={['instance', 'history']} />
      <Part only={['history', 'rows']} />
    </>
  )
  reloadChangingProps()
  expect(reload).toHaveBeenLastCalledWith(
    expect.objectContaining({ only: ['instance', 'history', 'rows'] })
  )
  page.rerender(<Part only={['instance']} />)
  reloadChangingProps()
  expect(reload).toHaveBeenLastCalledWith(expect.objectContaining({ only: ['instance'] }))
  page.unmount()
  reloadChangingProps()
  expect(reload.mock.lastCall![0]).not.toHaveProperty('only')
})

it('a history step cancels the reload, which runs again afterwards', () => {
  reload.mockReset()
  const finish = () => reload.mock.lastCall![0].onFinish()
  reloadChangingProps()
  const cancel = vi.fn(finish)
  reload.mock.lastCall![0].onCancelToken({ cancel })
  pushUrl('/server-instance/1?tab=domains')
  expect(cancel).toHaveBeenCalledBefore(push)
  expect(push.mock.lastCall![0]).toMatchObject({ url: '/server-instance/1?tab=domains' })
  expect(reload).toHaveBeenCalledOnce()
  push.mock.lastCall![0].onFinish()
  expect(reload).toHaveBeenCalledTimes(2)
  finish()
  pushUrl('/server-instance/1')
  push.mock.lastCall![0].onFinish()
  expect(reload).toHaveBeenCalledTimes(2)
})

it('the response of a reload does not restore a URL that the person has left', () => {
  reload.mockReset()
  history.replaceState(null, '', '/server-instance/1?tab=domains#top')
  reloadChangingProps()
  const { onBeforeUpdate, onCancelToken } = reload.mock.lastCall![0]
  onCancelToken({ cancel: () => {} })
  const drawn = () => {
    const answer = { url: '/server-instance/1' }
    onBeforeUpdate(answer)
    return answer.url
  }
  expect(drawn()).toBe('/server-instance/1?tab=domains#top')
  pushUrl('/server-instance/1?tab=terminal')
  expect(drawn()).toBe('/server-instance/1?tab=terminal')
  const first = push.mock.lastCall![0]
  pushUrl('/server-instance/1?tab=history')
  first.onFinish()
  expect(drawn()).toBe('/server-instance/1?tab=history')
  push.mock.lastCall![0].onFinish()
  expect(drawn()).toBe('/server-instance/1?tab=domains#top')
  for (const [reading] of reload.mock.calls) reading.onFinish()
})

it('a visit cancels the reload, which runs again after the visit', () => {
  reload.mockReset()
  const told = (what: 'start' | 'finish', visit: object = {}) =>
    document.dispatchEvent(new CustomEvent(`inertia:${what}`, { detail: { visit } }))
  const page = render(<Part only={['rows']} />)
  reloadChangingProps()
  const cancel = vi.fn(() => reload.mock.lastCall![0].onFinish())
  reload.mock.lastCall![0].onCancelToken({ cancel })
  told('start', { async: true })
  expect(cancel).not.toHaveBeenCalled()
  told('start')
  expect(cancel).toHaveBeenCalledOnce()
  reloadChangingProps()
  expect(reload).toHaveBeenCalledOnce()
  told('finish')
  expect(reload).toHaveBeenCalledTimes(2)
  reload.mock.lastCall![0].onFinish()
  told('start')
  told('finish')
  expect(reload).toHaveBeenCalledTimes(2)
  page.unmount()
})
