import { Alert, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useCallForm } from '~/components/form/use_call_form'
import styles from './vault.module.css'

interface LimitFormProps {
  vault: number
  /** USD; null for none */
  limit: string | null
  reached: boolean
  barred: string | null
}

/** The owner's sum for a month, at which the vault stops serving. */
export function LimitForm({ vault, limit, reached, barred }: LimitFormProps) {
  const form = useCallForm({
    to: '/vault/update',
    send: (fields) => ({ id: vault, monthly_limit: String(fields.get('monthly_limit')) || null }),
    onDone: () => {},
  })
  return (
    <div className={styles.narrow}>
      <FormFrame form={form} submit="Save limit" buttons="left" quiet reason={barred}>
        {reached && (
          <Alert color="yellow" role="status" title="The limit is reached">
            Nothing is served until the month is over or the limit is raised.
          </Alert>
        )}
        <TextInput
          label="Limit of a month (USD)"
          description="Requests stop when the cost of a month reaches it; empty for no limit"
          placeholder="No limit"
          inputMode="decimal"
          defaultValue={limit ?? ''}
          {...form.field('monthly_limit')}
        />
      </FormFrame>
    </div>
  )
}
