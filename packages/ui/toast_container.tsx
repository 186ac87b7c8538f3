import 'react-toastify/ReactToastify.css'
import './toast_container.css'
import { ToastContainer } from 'react-toastify/unstyled'

/** Settings of the specification. docs/product.md, "Lists and pages", describes most of them. */
export const toastSettings = {
  position: 'top-right',
  autoClose: 5000,
  hideProgressBar: false,
  newestOnTop: false,
  closeOnClick: true,
  pauseOnHover: true,
  pauseOnFocusLoss: true,
  draggable: true,
  theme: 'light',
} as const

export default function Toasts() {
  return <ToastContainer {...toastSettings} />
}
