import { useEffect, useState } from 'react'
import { router } from '@inertiajs/react'
import { Button, Group, Modal, TextInput } from '@mantine/core'
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { CopyButton } from '@ui/copy_button'
import { DisabledReason } from '@ui/disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge } from '@ui/status_badge'
import { useCall } from '~/components/use_call'
import type { DomainView, InstanceView } from './types'
import styles from './domain_list.module.css'

/** How often the page looks whether a pending domain is served by now. */
const LOOK_MS = 3_000

/** The list with a subdomain added; empty text and one that is there already change nothing. */
export function withDomain(domains: DomainView[], text: string): DomainView[] {
  const subdomain = text.trim().toLowerCase()
  if (!subdomain || domains.some((domain) => domain.subdomain === subdomain)) return domains
  return [...domains, { subdomain, status: 'pending', status_reason: null }]
}

/** The domains of a shared instance: add through a prompt, delete with confirmation, then save. */
export function DomainList({
  instance,
}: {
  instance: Pick<InstanceView, 'id' | 'domains' | 'can'>
}) {
  const { id, domains: saved, can } = instance
  const [changed, setChanged] = useState<DomainView[] | null>(null)
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<DomainView | null>(null)
  const { busy, run } = useCall()
  const domains = changed ?? saved
  const waiting = saved.some(({ status }) => status === 'pending')

  useEffect(() => {
    if (!waiting) return
    const timer = window.setInterval(() => router.reload({ only: ['instance'] }), LOOK_MS)
    return () => window.clearInterval(timer)
  }, [waiting])

  const save = async () => {
    const { success } = await run('/server-instance/update', {
      id,
      domains: domains.map(({ subdomain, status }) => ({ subdomain, status })),
    })
    if (success) setChanged(null)
  }

  return (
    <section aria-label="Domain List">
      <div className={styles.bar}>
        <p>
          Point each domain at the address of this instance, then save. It becomes active once it is
          served.
        </p>
        <Group gap="xs">
          <DisabledReason
            variant="default"
            reason={can.domains.reason}
            onClick={() => setAdding(true)}
          >
            Add Domain
          </DisabledReason>
          <DisabledReason
            loading={busy !== null}
            reason={can.domains.reason ?? (changed ? null : 'Nothing has changed.')}
            onClick={save}
          >
            Save
          </DisabledReason>
        </Group>
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
              {domain.status_reason && (
                <span className={styles.reason}>{domain.status_reason}</span>
              )}
              <button
                type="button"
                className={styles.delete}
                aria-label={`Delete ${domain.subdomain}`}
                title={`Delete ${domain.subdomain}`}
                disabled={!can.domains.allowed}
                onClick={() => setDeleting(domain)}
              >
                <IconTrash size={16} stroke={1.75} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState
          title="No domains yet"
          hint="Sites on a shared instance are reached by domain."
        />
      )}
      <AddDomain
        opened={adding}
        onClose={() => setAdding(false)}
        onAdd={(text) => {
          const next = withDomain(domains, text)
          if (next !== domains) setChanged(next)
          setAdding(false)
        }}
      />
      <ConfirmDialog
        opened={deleting !== null}
        danger
        question={`Sure to delete domain: (${deleting?.subdomain})?`}
        confirm="Delete domain"
        onConfirm={() => {
          setChanged(domains.filter((domain) => domain !== deleting))
          setDeleting(null)
        }}
        onClose={() => setDeleting(null)}
      />
    </section>
  )
}

interface AddDomainProps {
  opened: boolean
  onAdd: (text: string) => void
  onClose: () => void
}

function AddDomain({ opened, onAdd, onClose }: AddDomainProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Add Domain"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onAdd(String(new FormData(event.currentTarget).get('subdomain') ?? ''))
        }}
      >
        <TextInput
          name="subdomain"
          label="Subdomain"
          placeholder="shop.example.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Add</Button>
        </Group>
      </form>
    </Modal>
  )
}
