import 'react-toastify/ReactToastify.css'
import './toast_container.css'
import { ToastContainer } from 'react-toastify/unstyled'

/** Settings that docs/product.md, "Lists and pages", specifies. */
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
