import { useState } from 'react'
import { Switch } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { call } from '~/api_call'
import { ContentSection } from '~/components/content_section'
import { countWithNoun } from '../../../packages/text/count_with_noun'
import { formatBytes } from '~/components/metrics/format_units'
import { useApiCall } from '~/components/use_api_call'
import { visit } from '~/visit'
import { CorsForm } from './cors_form'
import type { VaultPage } from './types'
import { VaultMaintenance } from './unfinished_uploads_and_damaged_objects'
import styles from './vault.module.css'

export function VaultSettings({ page, barred }: { page: VaultPage; barred: string | null }) {
  const { vault, facts, problem, databaseCopies } = page
  const [dialog, ask] = useState<'links' | 'delete' | null>(null)
  const { busy, run } = useApiCall()
  const close = () => ask(null)

  return (
    <>
      <ContentSection title="Access">
        {facts ? (
          <Switch
            label="Private"
            description="Private: files open only with shared links and access keys. Public: anyone with the CDN address can read the files."
            checked={facts.is_private}
            disabled={barred !== null || busy !== null}
            onChange={({ currentTarget: { checked } }) =>
              void run('/vault/update', { id: vault.id, is_private: checked })
            }
          />
        ) : (
          <p className={styles.calm}>{problem}</p>
        )}
        <div className={styles.row}>
          <ButtonWithDisabledReason variant="default" reason={barred} onClick={() => ask('links')}>
            Revoke all links
          </ButtonWithDisabledReason>
          <p className={styles.calm}>All shared links stop working immediately.</p>
        </div>
      </ContentSection>
      <ContentSection title="CORS rules">
        <p className={styles.calm}>
          Allow scripts on web pages of other origins to use the vault. Without a rule, no such page
          can use it. Images and downloads need no rule.
        </p>
        {facts && (
          <CorsForm
            key={JSON.stringify(facts.cors)}
            vault={vault.id}
            rules={facts.cors}
            barred={barred}
          />
        )}
      </ContentSection>
      <VaultMaintenance vault={vault.id} barred={barred} />
      <ContentSection
        title="Delete this vault"
        action={
          <ButtonWithDisabledReason
            color="red"
            variant="outline"
            reason={barred}
            onClick={() => ask('delete')}
          >
            Delete vault
          </ButtonWithDisabledReason>
        }
      >
        <p className={styles.calm}>
          This deletes all files in the vault. Its addresses and keys stop working.
        </p>
      </ContentSection>
      <DangerDialog
        opened={dialog === 'links'}
        title="Revoke all links"
        question="Revoke all links to files in this vault? Shared links stop working. The files stay."
        confirm="Revoke all links"
        onClose={close}
        onConfirm={() => run('/vault/links/end', { id: vault.id }, 'successes')}
      />
      <DangerDialog
        opened={dialog === 'delete'}
        title={`Delete ${vault.name}`}
        name={vault.name}
        mismatch="This does not match the vault name."
        losses={[
          facts
            ? `${countWithNoun(facts.objects, 'object')}, ${formatBytes(facts.bytes)}`
            : 'All objects in the vault',
          ...lostBackupsLabels(databaseCopies),
          'Its addresses, links and keys',
        ]}
        confirm="Delete vault"
        onClose={close}
        onConfirm={async (typed) => {
          // After this call, the vault no longer exists, so the page's props must not be reloaded.
          const answer = await call('/vault/delete', {
            data: { id: vault.id, name: typed },
            toasts: 'successes',
          })
          if (answer.success) visit('/vault/list')
          return answer
        }}
      />
    </>
  )
}

function lostBackupsLabels({ copies, databases }: VaultPage['databaseCopies']): string[] {
  return [
    ...(copies ? [countWithNoun(copies, 'database backup')] : []),
    ...(databases
      ? [`Second copies of new backups of ${countWithNoun(databases, 'database')}`]
      : []),
  ]
}
