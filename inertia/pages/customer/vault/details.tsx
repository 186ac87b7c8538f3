import { Head, usePage } from '@inertiajs/react'
import { Alert } from '@mantine/core'
import { CopyableText } from '@ui/copyable_text'
import { DateText } from '@ui/date_text'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { UrlTabs } from '~/components/url_tabs'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { formatBytes } from '~/components/metrics/format_units'
import { cdnUrl } from '~/components/vault/paths_and_links'
import { Credentials } from '~/components/vault/credentials'
import { ObjectBrowser } from '~/components/vault/object_browser'
import { requestsInLatestMonth } from '~/components/vault/requests_in_latest_month'
import { VaultSettings } from '~/components/vault/vault_settings'
import type { VaultPage } from '~/components/vault/types'
import { Usage } from '~/components/vault/usage'
import type { SharedProps } from '~/types'

const RELOADED_PROPS = ['vault', 'objects', 'facts', 'barred', 'databaseCopies', 'problem']

export default function VaultDetails(page: VaultPage) {
  const { vault, facts, problem } = page
  const cdn = cdnUrl(page.cdnHost, vault.key)
  const { user } = usePage<SharedProps>().props
  useLiveProps([`vault:${vault.id}`], RELOADED_PROPS)
  const isHeld = user?.account?.status !== undefined && user.account.status !== 'active'
  const barred =
    page.barred ?? (isHeld ? 'The account is suspended. You cannot change anything.' : null)

  return (
    <>
      <Head title={vault.name} />
      <PageHeader
        back={<Link href="/vault/list">Vault (Storage Service)</Link>}
        title={vault.name}
        aside={<StatusBadge status={vault.status} />}
      >
        <DetailLine
          items={[
            {
              label: 'Requests this month',
              value: facts?.month.requests ?? requestsInLatestMonth(vault.request_count),
            },
            { label: 'Size', value: formatBytes(facts?.bytes ?? vault.bytes) },
            { label: 'Objects', value: facts?.objects ?? vault.objects },
            {
              label: 'Access',
              value: facts ? (facts.is_private ? 'private' : 'public') : '-',
            },
            {
              label: 'CDN address',
              value: <CopyableText text={cdn} copied="CDN Copied!" what="CDN address" />,
            },
            { label: 'Created', value: <DateText value={vault.created_at} /> },
          ]}
        />
      </PageHeader>
      {page.barred && (
        <Alert color="yellow" role="status" mb="md">
          {page.barred}
        </Alert>
      )}
      {!problem && facts?.read_only && (
        <Alert color="yellow" role="status" mb="md">
          The account is suspended. You can read the vault but not change it.
        </Alert>
      )}
      {!problem && facts !== null && facts.damaged > 0 && (
        <Alert color="red" role="status" mb="md">
          {facts.damaged === 1
            ? '1 object is damaged. Find its name under Settings and upload it again.'
            : `${facts.damaged} objects are damaged. Find their names under Settings and upload them again.`}
        </Alert>
      )}
      <UrlTabs
        label={`Sections of ${vault.name}`}
        tabs={[
          {
            key: 'objects',
            label: 'Objects',
            keepAlive: true,
            panel: <ObjectBrowser key={page.path} page={page} barred={barred} />,
          },
          {
            key: 'credentials',
            label: 'Crendentials',
            panel: <Credentials page={page} barred={barred} />,
          },
          { key: 'usage', label: 'Usage', panel: <Usage page={page} barred={barred} /> },
          {
            key: 'settings',
            label: 'Settings',
            panel: <VaultSettings page={page} barred={barred} />,
          },
        ]}
      />
    </>
  )
}
