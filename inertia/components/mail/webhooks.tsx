import { useState } from 'react'
import { DangerDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge } from '@ui/status_badge'
import { ContentSection } from '~/components/content_section'
import { ActionMenu } from '~/components/action_menu'
import { Table } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { useApiCall } from '~/components/use_api_call'
import { useFetch } from '~/components/use_fetch'
import styles from '~/components/vault/vault.module.css'
import { WebhookDeliveries } from './webhook_deliveries'
import type { WebhookEntry } from './types'
import { CreateWebhookForm } from './create_webhook_form'

interface WebhooksProps {
  id: number
  events: Record<string, string>
  barred: string | null
}

type OpenDialog = { what: 'make' } | { what: 'deliveries' | 'remove'; hook: WebhookEntry }

export function Webhooks({ id, events, barred }: WebhooksProps) {
  const { data, problem, again } = useFetch<{ webhooks: WebhookEntry[] }>(`/email/${id}/webhooks`)
  const [dialog, ask] = useState<OpenDialog | null>(null)
  const { run } = useApiCall()
  const close = () => {
    ask(null)
    again()
  }
  const turn = async (hook: WebhookEntry) => {
    await run('/email/webhook/update', { id, webhook_id: hook.id, active: !hook.active })
    again()
  }
  const add = (
    <ButtonWithDisabledReason
      variant="default"
      reason={barred}
      onClick={() => ask({ what: 'make' })}
    >
      New webhook
    </ButtonWithDisabledReason>
  )
  return (
    <ContentSection title="Webhooks" action={data && data.webhooks.length > 0 && add}>
      {problem && <p className={styles.calm}>{problem}</p>}
      {data?.webhooks.length === 0 && (
        <EmptyState
          title="No webhooks yet"
          hint="A webhook calls your own URL when an email is delivered, bounces or is opened, or when a recipient complains or unsubscribes. Calls are signed."
          action={add}
        />
      )}
      {data && data.webhooks.length > 0 && (
        <Table<WebhookEntry>
          label="Webhooks"
          rows={data.webhooks}
          rowKey={(row) => row.id}
          columns={[
            {
              label: 'Address',
              phone: 'title',
              cell: ({ url, events: eventNames }) => (
                <TwoLineCell second={eventNames.map((event) => events[event]).join(', ')}>
                  <span title={url}>{url}</span>
                </TwoLineCell>
              ),
            },
            {
              label: 'Waiting',
              width: '90px',
              align: 'right',
              mono: true,
              cell: ({ waiting }) => waiting,
            },
            {
              label: 'Failed',
              width: '90px',
              align: 'right',
              mono: true,
              cell: ({ failed }) => failed,
            },
            {
              label: 'Status',
              width: '110px',
              phone: 'aside',
              cell: ({ active }) => (
                <StatusBadge status={active ? 'active' : 'off'} tone={active ? 'good' : 'calm'} />
              ),
            },
            {
              label: 'Action',
              align: 'right',
              width: '80px',
              phone: 'action',
              cell: (hook) => (
                <ActionMenu
                  label={`Actions for ${hook.url}`}
                  actions={[
                    { label: 'Deliveries', onClick: () => ask({ what: 'deliveries', hook }) },
                    {
                      label: hook.active ? 'Turn off' : 'Turn on',
                      reason: barred,
                      onClick: () => void turn(hook),
                    },
                    { label: 'Remove', danger: true, onClick: () => ask({ what: 'remove', hook }) },
                  ]}
                />
              ),
            },
          ]}
        />
      )}
      <Dialog opened={dialog?.what === 'make'} onClose={close} title="New webhook">
        {dialog?.what === 'make' && <CreateWebhookForm id={id} events={events} onDone={close} />}
      </Dialog>
      <Dialog opened={dialog?.what === 'deliveries'} onClose={close} title="Deliveries" size="xl">
        {dialog?.what === 'deliveries' && (
          <WebhookDeliveries id={id} webhook={dialog.hook.id} events={events} barred={barred} />
        )}
      </Dialog>
      {dialog?.what === 'remove' && (
        <DangerDialog
          opened
          title="Remove webhook"
          question={`Remove the webhook to ${dialog.hook.url}? It gets no more events, and waiting events are not sent.`}
          confirm="Remove webhook"
          onClose={close}
          onConfirm={() =>
            run('/email/webhook/remove', { id, webhook_id: dialog.hook.id }, 'successes')
          }
        />
      )}
    </ContentSection>
  )
}
