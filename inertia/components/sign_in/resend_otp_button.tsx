import { useEffect, useState } from 'react'
import styles from './sign_in.module.css'

/** The button is enabled at `resendAt`, 60 s after the last code. */
export function ResendOtpButton({
  resendAt,
  onSend,
}: {
  resendAt: string | null
  onSend: () => void
}) {
  const [left, setLeft] = useState<number | null>(null)

  useEffect(() => {
    const look = () => {
      const ms = resendAt ? Date.parse(resendAt) - Date.now() : 0
      setLeft(Math.max(0, Math.ceil(ms / 1000)))
    }
    look()
    const timer = window.setInterval(look, 1000)
    return () => window.clearInterval(timer)
  }, [resendAt])

  return (
    <button type="button" className={styles.text} disabled={left !== 0} onClick={onSend}>
      {left ? `Send OTP again in ${left} s` : 'Send OTP again'}
    </button>
  )
}
