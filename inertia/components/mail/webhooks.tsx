import { useState } from 'react'
import { DangerDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge } from '@ui/status_badge'
import { ActionMenu } from '~/components/action_menu'
import { Table } from '~/components/list/table'
import { TwoLines } from '~/components/list/two_lines'
import { useCall } from '~/components/use_call'
import { useRead } from '~/components/vault/use_read'
import styles from '~/components/vault/vault.module.css'
import { Deliveries } from './deliveries'
import type { WebhookEntry } from './types'
import { WebhookForm } from './webhook_form'

interface WebhooksProps {
  id: number
  events: Record<string, string>
  barred: string | null
}

type Asked = { what: 'make' } | { what: 'deliveries' | 'remove'; hook: WebhookEntry }

/** Which addresses of the customer's own are told what happens to mails. */
export function Webhooks({ id, events, barred }: WebhooksProps) {
  const { data, problem, again } = useRead<{ webhooks: WebhookEntry[] }>(`/email/${id}/webhooks`)
  const [asked, ask] = useState<Asked | null>(null)
  const { run } = useCall()
  const close = () => {
    ask(null)
    again()
  }
  const turn = async (hook: WebhookEntry) => {
    await run('/email/webhook/update', { id, webhook_id: hook.id, active: !hook.active })
    again()
  }
  const add = (
    <DisabledReason variant="default" reason={barred} onClick={() => ask({ what: 'make' })}>
      New webhook
    </DisabledReason>
  )
  return (
    <section className={styles.part} aria-label="Webhooks">
      <header className={styles.head}>
        <h2>Webhooks</h2>
        {data && data.webhooks.length > 0 && add}
      </header>
      {problem && <p className={styles.calm}>{problem}</p>}
      {data?.webhooks.length === 0 && (
        <EmptyState
          title="No webhooks yet"
          hint="A webhook calls your own URL when an email is delivered, bounces or is opened. Calls are signed."
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
              cell: ({ url, events: told }) => (
                <TwoLines second={told.map((event) => events[event]).join(', ')}>
                  <span title={url}>{url}</span>
                </TwoLines>
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
      <Dialog opened={asked?.what === 'make'} onClose={close} title="New webhook">
        {asked?.what === 'make' && <WebhookForm id={id} events={events} onDone={close} />}
      </Dialog>
      <Dialog opened={asked?.what === 'deliveries'} onClose={close} title="Deliveries" size="xl">
        {asked?.what === 'deliveries' && (
          <Deliveries id={id} webhook={asked.hook.id} events={events} barred={barred} />
        )}
      </Dialog>
      {asked?.what === 'remove' && (
        <DangerDialog
          opened
          title="Remove webhook"
          question={`Remove the webhook to ${asked.hook.url}? It gets no more events, and waiting events are not sent.`}
          confirm="Remove webhook"
          onClose={close}
          onConfirm={() =>
            run('/email/webhook/remove', { id, webhook_id: asked.hook.id }, 'successes')
          }
        />
      )}
    </section>
  )
}
