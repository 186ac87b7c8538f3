import { Card, Group, SimpleGrid, Text } from '@mantine/core'
import { usePage } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { notify } from '@ui/notify'
import { StatusBadge } from '@ui/status_badge'
import { useApiCall } from '~/components/use_api_call'
import type { BillMailState } from '~/components/billing/types'
import type { SharedProps } from '~/types'

export function BillEmails({ id, emails }: { id: number; emails: BillMailState[] }) {
  const { unavailable } = usePage<SharedProps>().props
  const { busy, run } = useApiCall()
  const barred = unavailable?.['bills.decide'] ?? null

  const send = async ({ mail_type: type, sent }: BillMailState) => {
    const data = { id, mail_type: type, ...(sent && { again: true }) }
    const { success, status } = await run('/admin/billing/send-email', data, 'successes')
    if (success) return
    const refused = status === 409 ? 'This email was already sent.' : null
    const failed = 'Failed to send email. Check console for details.'
    void notify({ success: false, message: refused ?? failed })
  }

  return (
    <section aria-labelledby="emails">
      <h2 id="emails">Billing Emails</h2>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {emails.map((mail) => (
          <Card key={mail.mail_type} withBorder padding="sm">
            <Group justify="space-between" wrap="nowrap">
              <Text fw={600}>{mail.label}</Text>
              <StatusBadge
                status={mail.sent ? 'sent' : 'not_sent'}
                label={mail.sent ? 'Sent' : 'Not Sent'}
                tone={mail.sent ? 'good' : 'calm'}
              />
            </Group>
            <Group justify="space-between" wrap="nowrap" mt="xs">
              <Text size="sm" c="dimmed">
                <DateText value={mail.sent_at} shape="staff" />
              </Text>
              <ButtonWithDisabledReason
                size="xs"
                variant="default"
                reason={barred ?? mail.reason}
                loading={busy !== null}
                aria-label={`${mail.sent ? 'Send again' : 'Send'}: ${mail.label}`}
                onClick={() => void send(mail)}
              >
                {mail.sent ? 'Send again' : 'Send'}
              </ButtonWithDisabledReason>
            </Group>
          </Card>
        ))}
      </SimpleGrid>
    </section>
  )
}
