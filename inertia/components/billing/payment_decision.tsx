import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Alert, Group, Radio, Stack, Text, Textarea } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { Money } from '@ui/money'
import type { ReceivedSumView } from '~/components/billing/types'
import { useApiForm } from '~/components/form/use_api_form'
import { useApiCall } from '~/components/use_api_call'
import Big from 'big.js'
import type { PageHref } from '#core/page_addresses'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'

/** Message that docs/product.md, "Money" requires. */
const REJECT_FAILED_MESSAGE = 'Failed to reject bill. Please try again.'

interface PaymentDecisionProps {
  bill: { id: number; account_number: string | null; status: string }
  family: 'billing' | 'autocourier-billing'
  next: number | null
  difference?: ReceivedSumView | null
}

/**
 * The keys A and then Enter approve the payment and open the next bill. R opens the form that rejects it. N opens the
 * next bill.
 */
export function PaymentDecision({ bill, family, next, difference }: PaymentDecisionProps) {
  const { unavailable } = usePage<SharedProps>().props
  const [dialog, ask] = useState<'approve' | 'reject' | null>(null)
  const { run } = useApiCall()
  const nothing = difference ? new Big(difference.received).eq(0) : false
  const [selected, select] = useState<'received' | 'reported'>('received')
  const barred = unavailable?.['bills.decide'] ?? null
  const waits = bill.status === 'processing'
  const goOn = () => {
    const to: PageHref | null = next ? `/admin/${family}/details/${next}` : null
    if (to) visit(to)
  }
  const open = (move: 'approve' | 'reject') => waits && !barred && ask(move)
  useHotkeys([
    ['a', () => void open('approve')],
    ['r', () => void open('reject')],
    ['n', goOn],
  ])
  const account = bill.account_number ?? ''

  return (
    <Group gap="xs">
      {waits && (
        <>
          <ButtonWithDisabledReason
            reason={barred}
            onClick={() => ask('approve')}
            aria-keyshortcuts="A"
          >
            Approve
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            reason={barred}
            color="red"
            variant="default"
            onClick={() => ask('reject')}
            aria-keyshortcuts="R"
          >
            Reject
          </ButtonWithDisabledReason>
        </>
      )}
      <ButtonWithDisabledReason
        variant="default"
        reason={next ? null : 'No other bill awaits approval.'}
        onClick={goOn}
        aria-keyshortcuts="N"
      >
        Next
      </ButtonWithDisabledReason>
      <ConfirmDialog
        opened={dialog === 'approve'}
        title="Approve"
        question={`Are you sure you want to approve this account (${account})?`}
        confirm="Approve"
        onClose={() => ask(null)}
        onConfirm={async () => {
          const sum = difference?.[nothing ? 'reported' : selected]
          const answer = await run(`/admin/${family}/approve`, { id: bill.id, sum }, 'successes')
          if (answer.success) goOn()
          return answer
        }}
      >
        {difference && (
          <SumChoice
            difference={difference}
            family={family}
            selected={selected}
            onChange={(sum) => select(sum === 'reported' ? sum : 'received')}
          />
        )}
      </ConfirmDialog>
      <Dialog opened={dialog === 'reject'} onClose={() => ask(null)} title="Reject">
        {dialog === 'reject' && (
          <RejectForm
            bill={bill}
            family={family}
            onClose={() => ask(null)}
            onDone={() => {
              ask(null)
              goOn()
            }}
          />
        )}
      </Dialog>
    </Group>
  )
}

interface SumChoiceProps extends Pick<PaymentDecisionProps, 'family'> {
  difference: ReceivedSumView
  selected: string
  onChange: (sum: string) => void
}

function SumChoice({ difference, family, selected, onChange }: SumChoiceProps) {
  const { reported, received } = difference
  const missing = new Big(reported).minus(received)
  if (new Big(received).eq(0)) {
    return (
      <Alert color="red" title="The statement says that no money arrived">
        If you approve anyway, Berth records <Money amount={reported} /> as received.
      </Alert>
    )
  }
  return (
    <>
      <Alert color="yellow" title="Amount differs">
        The statement shows <Money amount={received} />, but <Money amount={reported} /> was
        reported: <Money amount={missing.abs().toFixed(2)} /> too{' '}
        {missing.gt(0) ? 'little' : 'much'}.
      </Alert>
      <Radio.Group label="Amount to approve" name="sum" value={selected} onChange={onChange}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="received"
            label={
              <>
                Received: <Money amount={received} />
              </>
            }
            description={receivedEffect(missing.gt(0), family)}
          />
          <Radio
            value="reported"
            label={
              <>
                Reported: <Money amount={reported} />
              </>
            }
            description="Ignores the amount on the statement."
          />
        </Stack>
      </Radio.Group>
    </>
  )
}

function receivedEffect(isLess: boolean, family: PaymentDecisionProps['family']): string {
  if (isLess) return 'The remainder of the bill stays due.'
  return family === 'billing'
    ? 'The excess becomes credit for the next bill.'
    : 'Berth keeps no credit for these customers. Return any excess to the sender.'
}

interface RejectFormProps extends Pick<PaymentDecisionProps, 'bill' | 'family'> {
  onClose: () => void
  onDone: () => void
}

function RejectForm({ bill, family, onClose, onDone }: RejectFormProps) {
  const form = useApiForm({
    to: `/admin/${family}/reject`,
    send: (fields) => ({ id: bill.id, note: fields.get('note') }),
    onDone,
  })
  return (
    <FormFrame
      form={form}
      submit="Reject"
      danger
      onCancel={onClose}
      nothing={REJECT_FAILED_MESSAGE}
    >
      <Text>{`Are you sure you want to reject this account (${bill.account_number ?? ''})?`}</Text>
      <Textarea
        label="Note"
        description="The customer can read this note"
        data-autofocus
        rows={3}
        maxLength={500}
        {...form.field('note')}
      />
    </FormFrame>
  )
}
