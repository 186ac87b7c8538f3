import { useEffect, useState } from 'react'
import { call } from '~/api_call'
import { useChangeStream } from '~/components/live/use_change_stream'
import styles from './support.module.css'

const PRESENCE_REPORT_INTERVAL_MS = 15_000
const PRESENCE_TIMEOUT_MS = 35_000

interface ConversationViewersProps {
  client: number
  me: number
  staff: { id: number; name: string }[]
}

export function ConversationViewers({ client, me, staff }: ConversationViewersProps) {
  const [seen, setSeen] = useState<Record<number, number>>({})

  useEffect(() => {
    const report = () => {
      const data = { client_id: client }
      if (!document.hidden) void call('/admin/live-support/looking', { data, toasts: 'none' })
      const gone = Date.now() - PRESENCE_TIMEOUT_MS
      setSeen((now) => Object.fromEntries(Object.entries(now).filter(([, at]) => at > gone)))
    }
    report()
    const timer = window.setInterval(report, PRESENCE_REPORT_INTERVAL_MS)
    return () => window.clearInterval(timer)
  }, [client])
  useChangeStream(({ passing }) => {
    for (const topic of passing) {
      const [noun, of, person] = topic.split(':')
      if (noun !== 'support_looking' || Number(of) !== client || Number(person) === me) continue
      setSeen((now) => ({ ...now, [Number(person)]: Date.now() }))
    }
  })

  const names = staff.filter(({ id }) => id in seen).map(({ name }) => name)
  if (names.length === 0) return null
  return (
    <p className={styles.looking} role="status">{`Also viewing this chat: ${names.join(', ')}`}</p>
  )
}
