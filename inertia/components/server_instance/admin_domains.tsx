import { useState } from 'react'
import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DisabledReason } from '@ui/disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { field } from '@ui/form_field'
import { StatusBadge } from '@ui/status_badge'
import { useCall } from '~/components/use_call'
import { DomainWay } from './domain_way'
import { NAME_MISMATCH } from './delete_instance'
import type { AdminInstanceView } from './types'
import styles from './domain_list.module.css'

interface AdminDomainsProps {
  instance: AdminInstanceView
  /** why this person cannot change them, or why nobody can now */
  reason: string | null
}

/** The domains that lead to an instance, as staff see and edit them. */
export function AdminDomains({ instance, reason }: AdminDomainsProps) {
  const [editing, setEditing] = useState(false)
  const { domain_list: domains } = instance
  return (
    <section aria-label="Domains">
      <div className={styles.bar}>
        <p>The domains that lead to the web server of this instance, port 80.</p>
        <DisabledReason variant="default" reason={reason} onClick={() => setEditing(true)}>
          Edit Domains
        </DisabledReason>
      </div>
      {domains.length ? (
        <ul className={styles.list}>
          {domains.map((domain) => (
            <li key={domain.subdomain}>
              <span className={styles.name}>
                <span className="mono">{domain.subdomain}</span>
                <CopyButton value={domain.subdomain} copied="Copied" what="domain" />
              </span>
              <StatusBadge status={domain.status} />
              <DomainWay instanceId={instance.id} domain={domain} area="admin" reason={reason} />
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState title="No domains" hint="None leads to this instance." />
      )}
      <Modal
        opened={editing}
        onClose={() => setEditing(false)}
        title="Edit Domains"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {editing && <DomainsForm instance={instance} onDone={() => setEditing(false)} />}
      </Modal>
    </section>
  )
}

function DomainsForm({ instance, onDone }: { instance: AdminInstanceView; onDone: () => void }) {
  const { id, name } = instance
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const [mismatch, setMismatch] = useState(false)
  const { busy, run } = useCall()

  const save = async (form: FormData) => {
    const typed = String(form.get('confirm_name'))
    setMismatch(typed !== name)
    if (typed !== name) return
    const domains = String(form.get('domains')).split(/\s+/u).filter(Boolean)
    const answer = await run('/admin/server-instance/update', { id, domains, confirm_name: typed })
    setErrors(answer.errors)
    if (answer.success) onDone()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save(new FormData(event.currentTarget))
      }}
    >
      <Stack gap="md">
        <Textarea
          label="Domains"
          description="One a line"
          autosize
          minRows={3}
          maxRows={12}
          data-autofocus
          spellCheck={false}
          defaultValue={instance.domains.join('\n')}
          styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 13 } }}
          {...field('domains', errors)}
        />
        <TextInput
          label={
            <>
              Type <code>{name}</code> to confirm
            </>
          }
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={() => setMismatch(false)}
          {...field('confirm_name', errors)}
        />
        {mismatch && (
          <Alert color="red" role="alert">
            <Text size="sm">{NAME_MISMATCH}</Text>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== null}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
