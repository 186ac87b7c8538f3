import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge, type StatusTone } from '@ui/status_badge'
import { Footer } from '~/components/list/footer'
import { Table } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { useApiCall } from '~/components/use_api_call'
import styles from '~/components/vault/vault.module.css'
import type { WebhookDelivery } from './types'
import { usePagedList } from './use_paged_list'

const tones: Record<WebhookDelivery['state'], StatusTone> = {
  waiting: 'wait',
  delivered: 'good',
  failed: 'loss',
}

function responseLabel({ status, answer }: Pick<WebhookDelivery, 'status' | 'answer'>): string {
  return [status, answer].filter(Boolean).join(' ') || 'No response yet'
}

interface WebhookDeliveriesProps {
  id: number
  webhook: number
  events: Record<string, string>
  barred: string | null
}

export function WebhookDeliveries({ id, webhook, events, barred }: WebhookDeliveriesProps) {
  const list = usePagedList<{ deliveries: WebhookDelivery[]; count: number; length: number }>(
    `/email/${id}/deliveries?webhook_id=${webhook}`
  )
  const { busy, run } = useApiCall()
  const { data, problem } = list
  const resend = async (delivery: string) => {
    await run('/email/webhook/resend', { id, webhook_id: webhook, delivery_id: delivery })
    list.again()
  }
  if (problem) return <p className={styles.calm}>{problem}</p>
  if (!data) return <div className={styles.bones} aria-busy />
  if (data.deliveries.length === 0) return <EmptyState title="No deliveries yet" />
  return (
    <>
      <Table<WebhookDelivery>
        label="Deliveries"
        rows={data.deliveries}
        rowKey={(row) => row.id}
        columns={[
          {
            label: 'Event',
            phone: 'title',
            cell: ({ type, ...row }) => (
              <TwoLineCell second={responseLabel(row)} always>
                {events[type]}
              </TwoLineCell>
            ),
          },
          {
            label: 'Time',
            width: '180px',
            phone: 'second',
            cell: ({ at }) => <DateText value={at} shape="moment" />,
          },
          {
            label: 'Status',
            width: '120px',
            phone: 'aside',
            cell: ({ state }) => <StatusBadge status={state} tone={tones[state]} />,
          },
          {
            label: 'Action',
            align: 'right',
            width: '110px',
            phone: 'action',
            cell: ({ id: delivery }) => (
              <ButtonWithDisabledReason
                size="xs"
                variant="default"
                reason={barred}
                loading={busy !== null}
                onClick={() => void resend(delivery)}
              >
                Send again
              </ButtonWithDisabledReason>
            ),
          },
        ]}
      />
      <Footer
        page={list.page}
        length={data.length}
        count={data.count}
        shown={data.deliveries.length}
        onPage={list.setPage}
      />
    </>
  )
}
