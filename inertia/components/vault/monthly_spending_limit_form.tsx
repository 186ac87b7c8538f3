import { Alert, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import styles from './vault.module.css'

interface MonthlySpendingLimitFormProps {
  vault: number
  /** In USD; null for none. */
  limit: string | null
  reached: boolean
  barred: string | null
}

export function MonthlySpendingLimitForm({
  vault,
  limit,
  reached,
  barred,
}: MonthlySpendingLimitFormProps) {
  const form = useApiForm({
    to: '/vault/update',
    send: (fields) => ({ id: vault, monthly_limit: String(fields.get('monthly_limit')) || null }),
    onDone: () => {},
  })
  return (
    <div className={styles.narrow}>
      <FormFrame form={form} submit="Save limit" buttons="left" quiet reason={barred}>
        {reached && (
          <Alert color="yellow" role="status" title="The limit is reached">
            The vault serves and stores no files until the month ends or you raise the limit.
          </Alert>
        )}
        <TextInput
          label="Monthly limit (USD)"
          description="Once the cost of this month reaches the limit, the vault only accepts deletions. Leave empty for no limit."
          placeholder="No limit"
          inputMode="decimal"
          defaultValue={limit ?? ''}
          {...form.field('monthly_limit')}
        />
      </FormFrame>
    </div>
  )
}
