import { Alert, List, Text, TextInput } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { Money } from '@ui/money'
import { MerchantAccount } from '~/components/billing/merchant_account'
import {
  errorsByTransfer,
  TransferFields,
  readTransferFields,
} from '~/components/billing/transfer_fields'
import { useApiForm } from '~/components/form/use_api_form'

interface PayProps {
  bill: { id: number; number: string | null }
  /** In the region's currency, including the fee. */
  totalPayable: string
  /** In percent; `0` for none. */
  feePercent: string
  merchantAccount: string
  onClose: () => void
}

export function PayDialog(props: PayProps) {
  return (
    <Dialog opened onClose={props.onClose} title={`Pay bill ${props.bill.number ?? ''}`}>
      <PayForm {...props} />
    </Dialog>
  )
}

function PayForm({ bill, totalPayable, feePercent, merchantAccount, onClose }: PayProps) {
  const form = useApiForm({
    to: '/billing/pay',
    send: (fields) => ({
      id: bill.id,
      account_number: fields.get('account_number'),
      reference: fields.get('reference'),
      ...readTransferFields(fields),
    }),
    byField: errorsByTransfer,
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit="Send for approval" onCancel={onClose}>
      <List type="ordered" spacing={4}>
        <List.Item>
          Open your mobile money app and choose <strong>Send Money</strong>.
        </List.Item>
        <List.Item>
          Send to{' '}
          {merchantAccount ? (
            <MerchantAccount number={merchantAccount} />
          ) : (
            'the account that support gives you'
          )}
        </List.Item>
        <List.Item>
          Total payable:{' '}
          <strong>
            <Money amount={totalPayable} />
          </strong>
          <CopyButton value={totalPayable} copied="Copied" what="total payable" />
          {Number(feePercent) > 0 && ` (including the ${feePercent}% charge)`}
        </List.Item>
        <List.Item>
          Enter the number that you sent from and the transaction ID. If you sent several transfers,
          enter each one.
        </List.Item>
      </List>
      {!merchantAccount && (
        <Alert color="yellow" role="status">
          No merchant account is set up yet. Ask support before you send money.
        </Alert>
      )}
      <TextInput
        label="Account number"
        description="The mobile number that you sent from"
        required
        data-autofocus
        inputMode="tel"
        maxLength={40}
        {...form.field('account_number')}
      />
      <TransferFields totalPayable={totalPayable} field={form.field} />
      <TextInput
        label="Reference"
        description="Optional. The reference that you entered in your mobile money app."
        maxLength={100}
        {...form.field('reference')}
      />
      <Text size="sm" c="dimmed">
        Our staff compare what you enter here with the transfer that they received, then email you
        the result.
      </Text>
    </FormFrame>
  )
}
