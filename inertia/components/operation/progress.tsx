import { StepList, type Step } from '@ui/step_list'
import type { OperationView } from './types'
import styles from './progress.module.css'

/** The steps of an operation; the one that failed says why. */
export function stepsOf(operation: OperationView): Step[] {
  return operation.steps.map((step) =>
    step.status === 'failed' ? { ...step, note: operation.error ?? step.note } : step
  )
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
