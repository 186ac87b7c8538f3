import { useEffect, useState } from 'react'
import IconBolt from '@tabler/icons-react/dist/esm/icons/IconBolt.mjs'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { useCountdown } from '@ui/use_now'
import { call } from '~/api_call'
import type { InstanceView } from './types'
import styles from './build_mode_panel.module.css'

type BuildModeTimers = InstanceView['boost']

interface BuildModeProps {
  instance: Pick<InstanceView, 'id' | 'status' | 'boost' | 'boost_barred'>
}

/** Enables Build Mode. Counts down to its end, then to the time at which it can be enabled again. */
export function BuildModePanel({ instance }: BuildModeProps) {
  const { id, status } = instance
  const [timers, setTimers] = useState<BuildModeTimers>(instance.boost)
  const [requestedUntil, setRequestedUntil] = useState(0)
  const [busy, setBusy] = useState(false)
  const active = useCountdown(timers.boostTimer)
  const delay = useCountdown(timers.boostDelay)
  const over = active === 0 && delay === 0 && (timers.boostTimer > 0 || timers.boostDelay > 0)

  // The page counts down without the server. At the end it loads the times again, because only the server knows the
  // next state.
  useEffect(() => {
    if (status === 'deleted') return
    const leaving = new AbortController()
    void call<BuildModeTimers>('/server-instance/boost/info', {
      method: 'GET',
      data: { server_instance_id: id },
      signal: leaving.signal,
      toasts: 'failures',
    }).then(({ data }) => data && setTimers(data))
    return () => leaving.abort()
  }, [id, status, over, requestedUntil])

  const boost = async () => {
    setBusy(true)
    await call('/server-instance/boost', { data: { server_instance_id: id } })
    setBusy(false)
    setRequestedUntil(requestedUntil + 1)
  }

  const countdown =
    active > 0 ? `Boost Active For: ${active}s` : delay > 0 ? `Boost Available In: ${delay}s` : null

  return (
    <section className={styles.panel} aria-label="Build Mode" data-active={active > 0 || undefined}>
      <span className={styles.icon} aria-hidden>
        <IconBolt size={20} stroke={1.75} />
      </span>
      <div className={styles.words}>
        <h2>Build Mode</h2>
        <p>
          The instance gets up to 4 times the CPU and twice the memory for 15 minutes. One hour
          after that, you can enable it again.
        </p>
      </div>
      {countdown ? (
        <p className={styles.countdown} role="timer">
          {countdown}
        </p>
      ) : (
        <ButtonWithDisabledReason
          variant="default"
          loading={busy}
          reason={instance.boost_barred}
          onClick={boost}
        >
          Enable Boost
        </ButtonWithDisabledReason>
      )}
    </section>
  )
}
