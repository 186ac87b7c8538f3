import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'

interface ReduceBillProps {
  id: number
  /** Amount due, in dollars. */
  due: string
  /** A credit note for a paid bill gives account credit. */
  isPaid: boolean
  move: 'credit' | 'write-off'
  onClose: () => void
}

const textsByMove = {
  credit: {
    title: 'Credit note',
    says: 'Reduces the amount due because the bill was too high. The issued bill itself does not change.',
    submit: 'Issue credit note',
  },
  'write-off': {
    title: 'Write off',
    says: 'Cancels the unpaid amount as a loss. The customer no longer owes it.',
    submit: 'Write off',
  },
}

const PAID_BILL_TEXT =
  'Gives the amount back as credit, which the next bill uses. You can pay it out on the page Billing run.'

export function ReduceBillDialog(props: ReduceBillProps) {
  return (
    <Dialog opened onClose={props.onClose} title={textsByMove[props.move].title}>
      <ReduceBillForm {...props} />
    </Dialog>
  )
}

function ReduceBillForm({ id, due, isPaid, move, onClose }: ReduceBillProps) {
  const form = useApiForm({
    to: `/admin/billing/${move}`,
    send: (fields) => ({
      id,
      note: fields.get('note'),
      ...(fields.get('amount') && { amount: fields.get('amount') }),
    }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit={textsByMove[move].submit} danger onCancel={onClose}>
      <Text>{isPaid ? PAID_BILL_TEXT : textsByMove[move].says} This cannot be undone.</Text>
      <TextInput
        label="Amount in dollars"
        description={`Leave empty to use the full ${isPaid ? 'paid' : 'remaining'} amount`}
        placeholder={isPaid ? undefined : due}
        inputMode="decimal"
        {...form.field('amount')}
      />
      <TextInput label="Reason" required data-autofocus maxLength={500} {...form.field('note')} />
    </FormFrame>
  )
}
