import { NativeSelect, Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useRegion } from '@ui/region'
import { useApiForm } from '~/components/form/use_api_form'

interface EnterPaymentProps {
  id: number
  /** Amount due, in the local currency. */
  due: string
  onClose: () => void
}

export function EnterPaymentDialog(props: EnterPaymentProps) {
  return (
    <Dialog opened onClose={props.onClose} title="Enter payment">
      <EnterPaymentForm {...props} />
    </Dialog>
  )
}

function EnterPaymentForm({ id, due, onClose }: EnterPaymentProps) {
  const { name: currency } = useRegion()
  const form = useApiForm({
    to: '/admin/billing/payment',
    send: (fields) => ({
      id,
      method: fields.get('method'),
      amount: fields.get('amount'),
      date: fields.get('date'),
      reference: fields.get('reference'),
      note: fields.get('note'),
    }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit="Enter payment" onCancel={onClose}>
      <Text>
        Enter money that you received. If it is less than the bill, the remainder stays due. If it
        is more, the excess becomes credit for the next bill.
      </Text>
      <NativeSelect
        label="Method"
        data={[
          { value: 'cash', label: 'Cash' },
          { value: 'bank', label: 'Bank transfer' },
        ]}
        {...form.field('method')}
      />
      <TextInput
        label={`Amount in ${currency}`}
        required
        data-autofocus
        inputMode="decimal"
        defaultValue={due}
        {...form.field('amount')}
      />
      <TextInput label="Day" type="date" required {...form.field('date')} />
      <TextInput
        label="Receipt or transfer number"
        description="Each number can be entered once"
        required
        maxLength={35}
        {...form.field('reference')}
      />
      <TextInput
        label="Note"
        description="Only staff can read this note"
        maxLength={500}
        {...form.field('note')}
      />
    </FormFrame>
  )
}
