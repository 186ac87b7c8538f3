import { useState } from 'react'
import { Textarea } from '@mantine/core'
import { checkTypedName } from '~/components/check_typed_name'
import { useApiForm } from '~/components/form/use_api_form'
import { ConfirmNameInput } from '@ui/confirm_name_input'
import { FormFrame } from '@ui/form_frame'
import { Dialog } from '@ui/dialog'
import { CopyableText } from '@ui/copyable_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge } from '@ui/status_badge'
import { DomainSteps } from './domain_steps'
import type { AdminInstanceView } from './types'
import styles from './domain_list_editor.module.css'

interface AdminDomainsProps {
  instance: AdminInstanceView
  reason: string | null
}

export function AdminDomains({ instance, reason }: AdminDomainsProps) {
  const [editing, setEditing] = useState(false)
  const { domain_list: domains } = instance
  return (
    <section aria-label="Domains">
      <div className={styles.bar}>
        <p>Domains that point to the web server of this instance (port 80).</p>
        <ButtonWithDisabledReason
          variant="default"
          reason={reason}
          onClick={() => setEditing(true)}
        >
          Edit Domains
        </ButtonWithDisabledReason>
      </div>
      {domains.length ? (
        <ul className={styles.list}>
          {domains.map((domain) => (
            <li key={domain.subdomain}>
              <span className={styles.name}>
                <CopyableText text={domain.subdomain} what="domain" />
              </span>
              <StatusBadge status={domain.status} />
              <DomainSteps instanceId={instance.id} domain={domain} area="admin" reason={reason} />
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState title="No domains" hint="No domain points to this instance." />
      )}
      <Dialog opened={editing} onClose={() => setEditing(false)} title="Edit Domains">
        {editing && <DomainsForm instance={instance} onDone={() => setEditing(false)} />}
      </Dialog>
    </section>
  )
}

function DomainsForm({ instance, onDone }: { instance: AdminInstanceView; onDone: () => void }) {
  const { id, name } = instance
  const form = useApiForm({
    to: '/admin/server-instance/update',
    check: (fields) => checkTypedName(fields, name, 'confirm_name'),
    send: (fields) => ({
      id,
      domains: String(fields.get('domains')).split(/\s+/u).filter(Boolean),
      confirm_name: fields.get('confirm_name'),
    }),
    onDone,
  })

  return (
    <FormFrame form={form} submit="Save" onCancel={onDone}>
      <Textarea
        label="Domains"
        description="One domain per line"
        autosize
        minRows={3}
        maxRows={12}
        data-autofocus
        spellCheck={false}
        defaultValue={instance.domains.join('\n')}
        styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 13 } }}
        {...form.field('domains')}
      />
      <ConfirmNameInput of={name} {...form.field('confirm_name')} />
    </FormFrame>
  )
}
