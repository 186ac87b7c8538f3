import { useState } from 'react'
import { TextInput } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { FormFrame } from '@ui/form_frame'
import { statusLabel } from '@ui/status_label'
import { ContentSection } from '~/components/content_section'
import { useApiForm } from '~/components/form/use_api_form'
import { SearchBox } from '~/components/list/toolbar'
import { Footer } from '~/components/list/footer'
import { Table } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { useApiCall } from '~/components/use_api_call'
import styles from '~/components/vault/vault.module.css'
import type { SuppressionEntry } from './types'
import { usePagedList } from './use_paged_list'

interface SuppressionsProps {
  id: number
  barred: string | null
}

export function Suppressions({ id, barred }: SuppressionsProps) {
  const list = usePagedList<{ suppressions: SuppressionEntry[]; count: number; length: number }>(
    `/email/${id}/suppressions`
  )
  const [adding, setAdding] = useState(false)
  const [removed, remove] = useState<SuppressionEntry | null>(null)
  const { run } = useApiCall()
  const { data, problem } = list
  const close = () => {
    setAdding(false)
    remove(null)
    list.again()
  }
  return (
    <ContentSection
      title="Suppression list"
      action={
        <ButtonWithDisabledReason variant="default" reason={barred} onClick={() => setAdding(true)}>
          Add recipient
        </ButtonWithDisabledReason>
      }
    >
      <p className={styles.calm}>
        This address sends nothing to these recipients: their mail server rejected a message
        permanently, they marked a message as spam, they unsubscribed, or you added them. Sending to
        them again harms your reputation as a sender.
      </p>
      <SearchBox label="Search by recipient" value={list.search} onChange={list.setSearch} />
      {problem ? (
        <EmptyState title="The list could not be loaded" hint={problem} />
      ) : !data ? (
        <div className={styles.bones} aria-busy />
      ) : data.suppressions.length === 0 ? (
        <EmptyState title={list.search ? 'No recipients match' : 'No suppressed recipients'} />
      ) : (
        <>
          <Table<SuppressionEntry>
            label="Suppressed recipients"
            rows={data.suppressions}
            rowKey={({ recipient }) => recipient}
            columns={[
              {
                label: 'Recipient',
                phone: 'title',
                cell: ({ recipient, detail }) => (
                  <TwoLineCell second={detail}>
                    <span title={recipient}>{recipient}</span>
                  </TwoLineCell>
                ),
              },
              {
                label: 'Reason',
                width: '140px',
                phone: 'aside',
                cell: ({ reason }) => statusLabel(reason),
              },
              {
                label: 'Since',
                width: '180px',
                phone: 'second',
                cell: ({ at }) => <DateText value={at} shape="moment" />,
              },
              {
                label: 'Action',
                align: 'right',
                width: '100px',
                phone: 'action',
                cell: (entry) => (
                  <ButtonWithDisabledReason
                    size="xs"
                    variant="default"
                    reason={barred}
                    aria-label={`Remove ${entry.recipient}`}
                    onClick={() => remove(entry)}
                  >
                    Remove
                  </ButtonWithDisabledReason>
                ),
              },
            ]}
          />
          <Footer
            page={list.page}
            length={data.length}
            count={data.count}
            shown={data.suppressions.length}
            onPage={list.setPage}
          />
        </>
      )}
      <Dialog opened={adding} onClose={close} title="Add recipient to the suppression list">
        {adding && <AddSuppressionForm id={id} onDone={close} />}
      </Dialog>
      {removed && (
        <ConfirmDialog
          opened
          title={`Remove ${removed.recipient} from the suppression list`}
          question={`Send email to ${removed.recipient} again? Do this only if the recipient has agreed.`}
          confirm="Remove from list"
          onClose={close}
          onConfirm={() =>
            run('/email/suppression/remove', { id, recipient: removed.recipient }, 'successes')
          }
        />
      )}
    </ContentSection>
  )
}

function AddSuppressionForm({ id, onDone }: { id: number; onDone: () => void }) {
  const form = useApiForm({
    to: '/email/suppression/store',
    send: (fields) => ({
      id,
      recipient: fields.get('recipient'),
      detail: String(fields.get('detail') ?? ''),
    }),
    onDone,
  })
  return (
    <FormFrame form={form} submit="Add recipient" onCancel={onDone}>
      <TextInput
        label="Recipient"
        description="This address sends nothing to the recipient from now on."
        type="email"
        required
        maxLength={254}
        data-autofocus
        {...form.field('recipient')}
      />
      <TextInput label="Note" maxLength={200} {...form.field('detail')} />
    </FormFrame>
  )
}
