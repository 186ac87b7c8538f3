import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Alert } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { call } from '~/api_call'
import { ContentSection } from '~/components/content_section'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { DnsRecordCard } from '~/components/mail/dns_record_card'
import type { MailDomainPage } from '~/components/mail/types'
import { useApiCall } from '~/components/use_api_call'
import styles from '~/components/vault/vault.module.css'
import { visit } from '~/visit'

const RELOADED_PROPS = ['domain', 'records', 'keys', 'problem']

export default function MailDomain(page: MailDomainPage) {
  const { domain, records, keys, problem } = page
  const [ending, end] = useState(false)
  const { busy, run } = useApiCall()
  useLiveProps([`mail_domain:${domain.id}`], RELOADED_PROPS)
  const next = keys.find(({ state }) => state === 'next')
  const isNext = (name: string) => next !== undefined && name.startsWith(`${next.selector}.`)
  const isThere = records.some(({ name, state }) => isNext(name) && state === 'found')

  return (
    <>
      <Head title={domain.domain} />
      <PageHeader
        back={<Link href="/email/list?tab=domains">Domains</Link>}
        title={domain.domain}
        aside={<StatusBadge status={domain.status} />}
        action={
          <ButtonWithDisabledReason
            reason={problem}
            loading={busy === '/email/domain/check'}
            onClick={() => void run('/email/domain/check', { id: domain.id })}
          >
            Check now
          </ButtonWithDisabledReason>
        }
      >
        <DetailLine
          items={[
            { label: 'Last checked', value: <DateText value={domain.checked_at} shape="moment" /> },
            { label: 'Added', value: <DateText value={domain.created_at} /> },
          ]}
        />
      </PageHeader>
      {problem && (
        <Alert color="yellow" role="status" mb="md">
          {problem}
        </Alert>
      )}
      {domain.failing_since && (
        <Alert color="red" role="status" mb="md" title="The DNS records are no longer correct">
          Email is still sent, but it is not signed with your domain. If the records stay wrong for
          7 days, each address must be verified by a link again. They have been wrong since{' '}
          <DateText value={domain.failing_since} shape="moment" />.
        </Alert>
      )}
      <ContentSection title="Records">
        <p className={styles.calm}>
          {`Add these records at the DNS provider of ${domain.domain}, then check them here. Berth also checks them every day. The domain is active when SPF, DKIM and return path are correct.`}
        </p>
        {records.map((record) => (
          <DnsRecordCard
            key={`${record.type} ${record.name} ${record.value}`}
            record={record}
            next={isNext(record.name)}
          />
        ))}
      </ContentSection>
      <ContentSection
        title="Signing key"
        action={
          next ? (
            <ButtonWithDisabledReason
              variant="default"
              reason={isThere ? null : 'The new key is not in DNS yet. Publish it and check again.'}
              loading={busy === '/email/domain/switch'}
              onClick={() => void run('/email/domain/switch', { id: domain.id })}
            >
              Switch to the new key
            </ButtonWithDisabledReason>
          ) : (
            <ButtonWithDisabledReason
              variant="default"
              reason={problem}
              loading={busy === '/email/domain/rotate'}
              onClick={() => void run('/email/domain/rotate', { id: domain.id })}
            >
              Create new key
            </ButtonWithDisabledReason>
          )
        }
      >
        <p className={styles.calm}>
          Publish the new key next to the old one, then switch to it. Keep the old record for a week
          after the switch, because email in transit is still signed with the old key.
        </p>
      </ContentSection>
      <ContentSection
        title="Delete this domain"
        action={
          <ButtonWithDisabledReason color="red" variant="outline" onClick={() => end(true)}>
            Delete domain
          </ButtonWithDisabledReason>
        }
      >
        <p className={styles.calm}>
          Without the domain, each of its addresses must be verified by an emailed link.
        </p>
      </ContentSection>
      <DangerDialog
        opened={ending}
        title={`Delete ${domain.domain}`}
        name={domain.domain}
        mismatch="This does not match the domain."
        losses={['Its signing keys', 'The verification of its addresses']}
        confirm="Delete domain"
        onClose={() => end(false)}
        onConfirm={async (typed) => {
          const answer = await call('/email/domain/delete', {
            data: { id: domain.id, domain: typed },
            toasts: 'successes',
          })
          if (answer.success) visit('/email/list?tab=domains')
          return answer
        }}
      />
    </>
  )
}
