import { expect, it } from 'vitest'
import { TOAST_DURATION_MS } from './notify'
import { toastSettings } from './toast_container'

it('the toast settings are those of the specifications', () => {
  expect(TOAST_DURATION_MS).toBe(4000)
  expect(toastSettings).toEqual({
    position: 'top-right',
    autoClose: 5000,
    hideProgressBar: false,
    newestOnTop: false,
    closeOnClick: true,
    pauseOnHover: true,
    pauseOnFocusLoss: true,
    draggable: true,
    theme: 'light',
  })
})
