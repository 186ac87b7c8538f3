import { useState } from 'react'
import { Switch } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { call } from '~/api_call'
import { counted } from '~/components/counted'
import { bytes } from '~/components/metrics/units'
import { useCall } from '~/components/use_call'
import { visit } from '~/visit'
import { CorsForm } from './cors_form'
import type { VaultPage } from './types'
import { Upkeep } from './upkeep'
import styles from './vault.module.css'

/** Access, from where; what needs a look; and the end of it. */
export function Settings({ page, barred }: { page: VaultPage; barred: string | null }) {
  const { vault, facts, problem, databaseCopies } = page
  const [asked, ask] = useState<'links' | 'delete' | null>(null)
  const { busy, run } = useCall()
  const close = () => ask(null)

  return (
    <>
      <section className={styles.part} aria-label="Access">
        <header className={styles.head}>
          <h2>Access</h2>
        </header>
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
          <DisabledReason variant="default" reason={barred} onClick={() => ask('links')}>
            Revoke all links
          </DisabledReason>
          <p className={styles.calm}>All shared links stop working immediately.</p>
        </div>
      </section>
      <section className={styles.part} aria-label="CORS rules">
        <header className={styles.head}>
          <h2>CORS rules</h2>
        </header>
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
      </section>
      <Upkeep vault={vault.id} barred={barred} />
      <section className={styles.part} aria-label="Delete this vault">
        <header className={styles.head}>
          <h2>Delete this vault</h2>
          <DisabledReason
            color="red"
            variant="outline"
            reason={barred}
            onClick={() => ask('delete')}
          >
            Delete vault
          </DisabledReason>
        </header>
        <p className={styles.calm}>
          This deletes all files in the vault. Its addresses and keys stop working.
        </p>
      </section>
      <DangerDialog
        opened={asked === 'links'}
        title="Revoke all links"
        question="Revoke all links to files in this vault? Shared links stop working. The files stay."
        confirm="Revoke all links"
        onClose={close}
        onConfirm={() => run('/vault/links/end', { id: vault.id }, 'successes')}
      />
      <DangerDialog
        opened={asked === 'delete'}
        title={`Delete ${vault.name}`}
        name={vault.name}
        mismatch="This does not match the vault name."
        losses={[
          facts
            ? `${counted(facts.objects, 'object')}, ${bytes(facts.bytes)}`
            : 'All objects in the vault',
          ...copiesLost(databaseCopies),
          'Its addresses, links and keys',
        ]}
        confirm="Delete vault"
        onClose={close}
        onConfirm={async (typed) => {
          // Nothing of the page is read anew: there is nothing to read.
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

/** What deleting a vault means for databases. */
function copiesLost({ copies, databases }: VaultPage['databaseCopies']): string[] {
  return [
    ...(copies ? [counted(copies, 'database backup')] : []),
    ...(databases
      ? [`The second location for new backups of ${counted(databases, 'database')}`]
      : []),
  ]
}
