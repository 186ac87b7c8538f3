import { useState } from 'react'
import { Alert, Group, Text, TextInput } from '@mantine/core'
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'
import { Dialog } from '@ui/dialog'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import { DangerDialog } from '@ui/confirm_dialog'
import { CopyableText } from '@ui/copyable_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge } from '@ui/status_badge'
import { noErrors, assignErrors } from '~/components/form/form_errors'
import { call } from '~/api_call'
import { useApiCall } from '~/components/use_api_call'
import { DomainSteps } from './domain_steps'
import type { DomainView, InstanceView } from './types'
import styles from './domain_list_editor.module.css'

/** A domain in the list. Until it is saved, it has only a name and a status. */
type DomainEntry = Pick<DomainView, 'subdomain' | 'status'> & Partial<DomainView>

export function withAddedDomain(domains: DomainEntry[], text: string): DomainEntry[] {
  const subdomain = text.trim().toLowerCase()
  if (!subdomain || domains.some((domain) => domain.subdomain === subdomain)) return domains
  return [...domains, { subdomain, status: 'pending' }]
}

const isSaved = (entry: DomainEntry): entry is DomainView => entry.proof_record !== undefined

/** Collects added and deleted domains. Save sends all changes together. */
export function DomainListEditor({
  instance,
}: {
  instance: Pick<InstanceView, 'id' | 'domains' | 'can'>
}) {
  const { id, domains: saved, can } = instance
  const [changed, setChanged] = useState<DomainEntry[] | null>(null)
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<DomainEntry | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { busy, run } = useApiCall()
  const domains: DomainEntry[] =
    changed?.map((entry) => saved.find((one) => one.subdomain === entry.subdomain) ?? entry) ??
    saved

  const save = async () => {
    const { success, message, errors } = await run(
      '/server-instance/update',
      { id, domains: domains.map(({ subdomain, status }) => ({ subdomain, status })) },
      'successes'
    )
    if (success) setChanged(null)
    setError(success ? null : (errors.domains?.[0] ?? message))
  }

  return (
    <section aria-label="Domain List">
      <div className={styles.bar}>
        <p>
          Add a domain, save, then set the DNS record that appears below the domain. The site works
          over HTTP as soon as the domain points here. The domain becomes active when HTTPS works.
        </p>
        <Group gap="xs">
          <ButtonWithDisabledReason
            variant="default"
            reason={can.domains.reason}
            onClick={() => setAdding(true)}
          >
            Add Domain
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            loading={busy !== null}
            reason={can.domains.reason ?? (changed ? null : 'No changes to save.')}
            onClick={save}
          >
            Save
          </ButtonWithDisabledReason>
        </Group>
      </div>
      {error && (
        <Alert color="red" role="alert" title="Not saved" mb="md">
          {error}
        </Alert>
      )}
      {domains.length ? (
        <ul className={styles.list}>
          {domains.map((domain) => (
            <li key={domain.subdomain}>
              <span className={styles.name}>
                <CopyableText text={domain.subdomain} what="domain" />
              </span>
              <StatusBadge status={domain.status} />
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
              {isSaved(domain) ? (
                <DomainSteps
                  instanceId={id}
                  domain={domain}
                  area="customer"
                  reason={can.domains.reason}
                />
              ) : (
                <span className={styles.reason}>Not saved yet.</span>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState
          title="No domains yet"
          hint="Visitors reach the sites on a shared instance by domain."
        />
      )}
      <AddDomain
        opened={adding}
        onClose={() => setAdding(false)}
        onAdd={(text) => {
          const next = withAddedDomain(domains, text)
          if (next !== domains) setChanged(next)
          setAdding(false)
        }}
      />
      <DangerDialog
        opened={deleting !== null}
        question={`Sure to delete domain: (${deleting?.subdomain})?`}
        confirm="Delete domain"
        onConfirm={() => {
          setChanged(domains.filter((domain) => domain !== deleting))
          setDeleting(null)
        }}
        onClose={() => setDeleting(null)}
      >
        <Text size="sm">The domain is deleted when you save the list.</Text>
      </DangerDialog>
    </section>
  )
}

interface AddDomainProps {
  opened: boolean
  onAdd: (text: string) => void
  onClose: () => void
}

/** If the name is invalid, the dialog stays open and shows the error. */
function AddDomain({ opened, onAdd, onClose }: AddDomainProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Add Domain">
      <AddDomainForm onAdd={onAdd} onClose={onClose} />
    </Dialog>
  )
}

function AddDomainForm({ onAdd, onClose }: Omit<AddDomainProps, 'opened'>) {
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    const text = String(new FormData(form).get('subdomain') ?? '')
    if (!text.trim()) return onAdd('')
    setBusy(true)
    const answer = await call<{ subdomain: string }>('/server-instance/domain/name', {
      method: 'GET',
      data: { subdomain: text },
      toasts: 'none',
    })
    setBusy(false)
    if (answer.success && answer.data) onAdd(answer.data.subdomain)
    else setPlaced(assignErrors(form, answer.errors, answer.message))
  }

  return (
    <FormFrame form={{ ...placed, busy, submit }} submit="Add" onCancel={onClose}>
      <TextInput
        label="Subdomain"
        placeholder="shop.example.com"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...fieldProps('subdomain', placed.errors)}
        onChange={() => setPlaced(noErrors)}
      />
    </FormFrame>
  )
}
