import { useEffect, useState, type ReactNode } from 'react'
import { Alert } from '@mantine/core'
import IconPlugConnectedX from '@tabler/icons-react/dist/esm/icons/IconPlugConnectedX.mjs'
import { prefixForArea } from '~/area_prefix'
import { call } from '~/api_call'
import type { InstanceCard } from './types'

const POLL_INTERVAL_MS = 15_000

interface UnresponsiveNoticeProps {
  instance: Pick<InstanceCard, 'id' | 'name' | 'status' | 'host_notice' | 'host_responds'>
  /** Whether an operation is running, during which the instance may not respond. */
  busy: boolean
  area?: 'customer' | 'admin'
}

export function UnresponsiveNotice({ instance, busy, area = 'customer' }: UnresponsiveNoticeProps) {
  const { id, name, status, host_notice: hostNotice, host_responds: responds } = instance
  const [silent, setSilent] = useState(false)
  const expected = status === 'active' && !busy && !hostNotice

  useEffect(() => {
    if (!expected) return
    const leaving = new AbortController()
    let timer: number | undefined
    const look = async () => {
      const path = `${prefixForArea(area)}/server-instance/${id}/answers` as const
      const { data } = await call<{ answers: boolean }>(path, {
        method: 'GET',
        signal: leaving.signal,
        toasts: 'none',
      })
      if (leaving.signal.aborted || !data) return
      setSilent(!data.answers)
      if (!data.answers) timer = window.setTimeout(look, POLL_INTERVAL_MS)
    }
    void look()
    return () => {
      leaving.abort()
      window.clearTimeout(timer)
    }
  }, [id, area, expected])

  if (hostNotice && status !== 'deleted') {
    return (
      <WarningAlert
        color="red"
        title={responds ? 'The host has a problem' : 'The host does not respond'}
      >
        {responds
          ? `${hostNotice} Until it is solved, ${name} cannot be started, stopped, restarted or boosted.`
          : `${hostNotice} ${name} cannot be started, stopped or restarted until the host responds.`}
      </WarningAlert>
    )
  }
  if (!expected || !silent) return null
  return (
    <WarningAlert color="yellow" title="The instance does not respond">
      {`${name} is running but does not accept commands. Its programs may have used all memory. You can still restart or stop it. If it does not shut down within 10 seconds, Berth forces a power-off. Files stay.`}
    </WarningAlert>
  )
}

function WarningAlert({
  color,
  title,
  children,
}: {
  color: string
  title: string
  children: ReactNode
}) {
  return (
    <Alert
      color={color}
      mb="md"
      role="status"
      icon={<IconPlugConnectedX size={18} stroke={1.75} aria-hidden />}
      title={title}
    >
      {children}
    </Alert>
  )
}
