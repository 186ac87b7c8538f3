import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { Money } from '@ui/money'
import type { StatementLineRow } from '~/components/billing/types'
import { useApiForm } from '~/components/form/use_api_form'

interface MatchLineProps {
  line: StatementLineRow
  onClose: () => void
}

export function MatchLineDialog(props: MatchLineProps) {
  return (
    <Dialog opened onClose={props.onClose} title="Match with a bill">
      <MatchLineForm {...props} />
    </Dialog>
  )
}

function MatchLineForm({ line, onClose }: MatchLineProps) {
  const { similar } = line
  const form = useApiForm({
    to: '/admin/billing/statements/match',
    send: (fields) => ({ line_id: line.id, bill: fields.get('bill') }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit="Match" onCancel={onClose}>
      <Text>
        Transfer {line.trx_id} of <Money amount={line.amount} />. After the match, the bill awaits
        approval.
      </Text>
      {similar && (
        <Text>
          {similar.bill} has a reported payment {similar.trx_id} of the same amount and payer. Berth
          replaces its transaction ID with that of the transfer.
        </Text>
      )}
      <TextInput
        label="Bill"
        description="Number of the bill, such as B-2026-000042"
        required
        data-autofocus
        defaultValue={similar?.bill}
        {...form.field('bill')}
      />
    </FormFrame>
  )
}
