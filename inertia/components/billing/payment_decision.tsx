import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Group, Text, Textarea } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import { useApiCall } from '~/components/use_api_call'
import type { PageHref } from '#core/page_addresses'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'

/** docs/product.md, "Money". */
const REJECT_FAILED_MESSAGE = 'Failed to reject bill. Please try again.'

interface PaymentDecisionProps {
  bill: { id: number; account_number: string | null; status: string }
  family: 'billing' | 'autocourier-billing'
  /** The id of the next pending bill. */
  next: number | null
}

/** Keys: A then Enter approves and opens the next bill, R rejects, N opens the next bill. */
export function PaymentDecision({ bill, family, next }: PaymentDecisionProps) {
  const { unavailable } = usePage<SharedProps>().props
  const [dialog, ask] = useState<'approve' | 'reject' | null>(null)
  const { run } = useApiCall()
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
          const answer = await run(`/admin/${family}/approve`, { id: bill.id }, 'successes')
          if (answer.success) goOn()
          return answer
        }}
      />
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
