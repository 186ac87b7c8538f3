import { useState } from 'react'
import { Switch } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { call } from '~/call'
import { bytes } from '~/components/metrics/units'
import { useCall } from '~/components/use_call'
import { visit } from '~/visit'
import { CorsForm } from './cors_form'
import type { VaultPage } from './types'
import { Upkeep } from './upkeep'
import styles from './vault.module.css'

/** Who may read, from where; what needs a look; and the end of it. */
export function Settings({ page, barred }: { page: VaultPage; barred: string | null }) {
  const { vault, facts, problem, databaseCopies } = page
  const [asked, ask] = useState<'links' | 'delete' | null>(null)
  const { busy, run } = useCall()
  const close = () => ask(null)

  return (
    <>
      <section className={styles.part} aria-label="Who may read">
        <header className={styles.head}>
          <h2>Who may read</h2>
        </header>
        {facts ? (
          <Switch
            label="Private"
            description="Its CDN addresses are refused; only links and keys read. Public: who knows an address may read it."
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
            End all links
          </DisabledReason>
          <p className={styles.calm}>Links that were shared before stop working at once.</p>
        </div>
      </section>
      <section className={styles.part} aria-label="CORS rules">
        <header className={styles.head}>
          <h2>CORS rules</h2>
        </header>
        <p className={styles.calm}>
          Which pages of other origins may use the vault from a browser&apos;s scripts. Without a
          rule, none; images and downloads need none.
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
        <p className={styles.calm}>Everything in it goes, and its addresses and keys end.</p>
      </section>
      <DangerDialog
        opened={asked === 'links'}
        title="End all links"
        question="End all links to files of this vault? Whoever has one cannot open it any more. The files stay."
        confirm="End all links"
        onClose={close}
        onConfirm={() => run('/vault/links/end', { id: vault.id }, 'successes')}
      />
      <DangerDialog
        opened={asked === 'delete'}
        title={`Delete ${vault.name}`}
        name={vault.name}
        mismatch="This is not the name of the vault."
        losses={[
          facts ? `${facts.objects} objects, ${bytes(facts.bytes)}` : 'All objects in it',
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
  const lost = copies === 1 ? '1 copy of a database' : `${copies} copies of databases`
  const sent = databases === 1 ? '1 database sends' : `${databases} databases send`
  return [
    ...(copies ? [lost] : []),
    ...(databases ? [`The second place of new copies, which ${sent} here`] : []),
  ]
}
