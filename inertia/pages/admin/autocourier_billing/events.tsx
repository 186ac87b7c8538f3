import { Head, usePage } from '@inertiajs/react'
import { SimpleGrid, TextInput } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { CourierWebhookSecret } from '~/components/auto_courier/webhook_secret'
import type { CourierEventRow, CourierEventsPage } from '~/components/auto_courier/types'
import { useApiForm } from '~/components/form/use_api_form'
import { Link } from '~/components/link'
import { List } from '~/components/list/list'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { useApiCall } from '~/components/use_api_call'
import type { SharedProps } from '~/types'

const tones = { waiting: 'wait', delivered: 'good', failed: 'loss' } as const

const eventLabels: Record<string, string> = {
  'bill.approved': 'Payment approved',
  'bill.rejected': 'Payment rejected',
}

export default function CourierWebhookDeliveries(page: CourierEventsPage) {
  const { events, eventStates, url, secret, overlapHours } = page
  const { unavailable } = usePage<SharedProps>().props
  const barred = unavailable?.['billing.manage'] ?? null
  const { busy, run } = useApiCall()
  const form = useApiForm({
    to: '/admin/autocourier-billing/events/address',
    send: (fields) => ({ url: fields.get('url') || null }),
    onDone: () => {},
  })
  return (
    <>
      <Head title="Auto Courier webhooks" />
      <PageHeader
        back={<Link href="/admin/autocourier-billing/list">Back</Link>}
        title="Auto Courier webhooks"
        hint="Auto Courier sends its bills to Berth in signed webhook calls. Berth sends each approval or rejection to the webhook address below."
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" mb="xl">
        <section aria-labelledby="secret">
          <h2 id="secret">Shared secret</h2>
          <CourierWebhookSecret secret={secret} overlapHours={overlapHours} barred={barred} />
        </section>
        <section aria-labelledby="address">
          <h2 id="address">Webhook address</h2>
          <FormFrame form={form} submit="Save" buttons="left" quiet reason={barred}>
            <TextInput
              label="Address"
              description="Must be reachable from the internet. Until you enter an address, events wait in the list below."
              placeholder="https://autocourier.example.com/berth-events"
              defaultValue={url ?? ''}
              maxLength={2_000}
              {...form.field('url')}
            />
          </FormFrame>
        </section>
      </SimpleGrid>
      <List<CourierEventRow>
        path="/admin/autocourier-billing/events"
        name="courier_event"
        answer={{ ...page, rows: events, statuses: eventStates }}
        props={['events', 'eventStates', 'url', 'secret']}
        live={['courier_event', 'dollar_rate', 'bill']}
        label="Events"
        all="All"
        rowKey={({ id }) => id}
        searchLabel="Search by bill or transaction"
        empty={{ title: 'No events yet', hint: 'Each approved or rejected payment appears here.' }}
        columns={[
          {
            label: 'Bill',
            phone: 'title',
            cell: ({ type, bill, bill_id: id }) => (
              <TwoLineCell second={eventLabels[type] ?? type}>
                <Link href={`/admin/autocourier-billing/details/${id}`} title={bill}>
                  {bill}
                </Link>
              </TwoLineCell>
            ),
          },
          {
            label: 'Decided',
            sort: 'at',
            width: '150px',
            phone: 'second',
            cell: ({ at }) => <DateText value={at} />,
          },
          {
            label: 'Attempts',
            phone: 'second',
            cell: ({ attempts, next_at: next }) => (
              <>
                {attempts.map(({ at, status, answer }) => (
                  <div key={at} title={answer}>
                    <DateText value={at} /> {status ?? answer}
                  </div>
                ))}
                {next && attempts.length > 0 && (
                  <div>
                    Next attempt <DateText value={next} />
                  </div>
                )}
              </>
            ),
          },
          {
            label: 'Status',
            width: '130px',
            phone: 'aside',
            cell: ({ state }) => (
              <StatusBadge status={state} label={eventStates[state]} tone={tones[state]} />
            ),
          },
          {
            label: 'Action',
            align: 'right',
            width: '130px',
            phone: 'action',
            cell: ({ id, bill }) => (
              <ButtonWithDisabledReason
                size="xs"
                variant="default"
                reason={unavailable?.['bills.decide'] ?? null}
                loading={busy !== null}
                aria-label={`Send again for ${bill}`}
                onClick={() => void run('/admin/autocourier-billing/events/send-again', { id })}
              >
                Send again
              </ButtonWithDisabledReason>
            ),
          },
        ]}
      />
    </>
  )
}
