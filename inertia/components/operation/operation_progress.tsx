import { Button } from '@mantine/core'
import { StepList, type Step } from '@ui/step_list'
import { call } from '~/api_call'
import { isFinished } from './use_operations'
import type { OperationView } from './types'
import styles from './operation_progress.module.css'

export const STUCK_MESSAGE =
  'This operation is stuck. No data is lost. Our staff have been notified.'

export function operationSteps({ steps, status, error }: OperationView): Step[] {
  return steps.map((step) => {
    if (step.status === 'failed') return { ...step, note: error ?? step.note }
    const isStuck = status === 'stuck' && step.status === 'running'
    return isStuck ? { ...step, status: 'failed', note: STUCK_MESSAGE } : step
  })
}

export function OperationProgress({ operation }: { operation: OperationView }) {
  const { id, title, cancel } = operation
  return (
    <section className={styles.progress} aria-label={title}>
      <h2>{title}</h2>
      <StepList steps={operationSteps(operation)} label={title} />
      {cancel !== 'no' && !isFinished(operation) && (
        <Button
          className={styles.cancel}
          size="compact-sm"
          variant="default"
          aria-label={`Cancel: ${title}`}
          loading={cancel === 'asked'}
          onClick={() =>
            void call(`/operations/${id}/cancel`, { method: 'POST', toasts: 'failures' })
          }
        >
          Cancel
        </Button>
      )}
    </section>
  )
}
