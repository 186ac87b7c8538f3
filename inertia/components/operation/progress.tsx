import { StepList, type Step } from '@ui/step_list'
import type { OperationView } from './types'
import styles from './progress.module.css'

/** The steps of an operation in the words of `StepList`. */
export function stepsOf(operation: OperationView): Step[] {
  return operation.steps.map(({ label, status, startedAt, endedAt, note }) => ({
    name: label,
    state: status,
    startedAt,
    finishedAt: endedAt,
    detail: status === 'failed' ? (operation.error ?? note) : note,
  }))
}

/** Long work with its live steps, on the page that it belongs to. */
export function OperationProgress({ operation }: { operation: OperationView }) {
  return (
    <section className={styles.progress} aria-label={operation.title}>
      <h2>{operation.title}</h2>
      <StepList steps={stepsOf(operation)} label={operation.title} />
    </section>
  )
}
