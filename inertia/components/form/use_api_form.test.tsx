import { MantineProvider, TextInput } from '@mantine/core'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from './use_api_form'

const { notify, reload } = vi.hoisted(() => ({ notify: vi.fn(), reload: vi.fn() }))
vi.mock('@ui/notify', () => ({ notify }))
vi.mock('@inertiajs/react', () => ({ router: { reload } }))

const onDone = vi.fn()

function Form() {
  const form = useApiForm({
    to: '/admin/host-instance/update',
    check: (fields) => ({ ...(fields.get('name') === 'bad' && { name: 'Not this one.' }) }),
    send: (fields) => ({ id: 7, ...Object.fromEntries(fields) }),
    onDone,
  })
  return (
    <MantineProvider env="test">
      <FormFrame form={form} submit="Save">
        <TextInput label="Name" {...form.field('name')} />
      </FormFrame>
    </MantineProvider>
  )
}

const fetched = vi.fn()
vi.stubGlobal('fetch', fetched)

async function send(name: string, status: number, answer: object) {
  fetched.mockResolvedValue(new Response(JSON.stringify(answer), { status }))
  render(<Form />)
  await userEvent.type(screen.getByLabelText('Name'), `${name}{Enter}`)
}

afterEach(() => vi.clearAllMocks())

it('each error appears once, at its field or above the buttons, and not as a toast', async () => {
  const errors = { name: ['Taken.'], ip: ['Unknown.'] }
  await send('a', 422, { success: false, message: 'Taken.', errors })
  expect(await screen.findByText('Taken.')).toBeDefined()
  expect(screen.getByRole('alert').textContent).toBe('Unknown.')
  expect(notify).not.toHaveBeenCalled()
  expect(onDone).not.toHaveBeenCalled()
})

it('an error without fields appears above the buttons', async () => {
  await send('a', 409, { success: false, message: 'It is busy.' })
  expect((await screen.findByRole('alert')).textContent).toBe('It is busy.')
  expect(reload).toHaveBeenCalledOnce()
})

it('the form sends nothing if its own check fails', async () => {
  await send('bad', 200, {})
  expect(await screen.findByText('Not this one.')).toBeDefined()
  expect(fetched).not.toHaveBeenCalled()
})

it('after a success, the form shows a toast and reloads the page’s props', async () => {
  await send('a', 200, { success: true, message: 'Saved.' })
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
  expect(JSON.parse(fetched.mock.lastCall?.[1].body)).toEqual({ id: 7, name: 'a' })
  expect(notify).toHaveBeenCalledExactlyOnceWith({ success: true, message: 'Saved.' })
  expect(reload).toHaveBeenCalledOnce()
})
