import { prefixForArea } from '~/area_prefix'
import { usePolling } from '~/components/live/use_polling'
import { isFinished } from '~/components/operation/operation_store'
import type { OperationView } from '~/components/operation/types'
import { useFetch } from '~/components/use_fetch'
import type { Area } from '~/types'
import { LogLines } from './log_lines'
import styles from './project.module.css'

const POLL_INTERVAL_MS = 2_000

interface OperationOutputProps {
  operation: Pick<OperationView, 'id' | 'status' | 'title'>
  area: Area
}

/** Shows the last output lines of an operation's commands, while it runs and after it failed. */
export function OperationOutput({ operation, area }: OperationOutputProps) {
  const { id, status, title } = operation
  const path = `${prefixForArea(area)}/operations/${id}/output` as const
  const { data, poll } = useFetch<{ output: string[] }>(path, status)
  const lines = data?.output ?? []

  usePolling(POLL_INTERVAL_MS, () => {
    if (!isFinished(operation)) poll()
  })

  if (lines.length === 0) return null
  return (
    <div className={styles.output}>
      <LogLines label={`Output of ${title}`} lines={lines} utcOffset={0} empty="" />
    </div>
  )
}
