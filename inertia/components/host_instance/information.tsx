import { useState } from 'react'
import { Button, Group, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { DisabledReason } from '@ui/disabled_reason'
import { field } from '@ui/form_field'
import { NameInput } from '@ui/name_input'
import { FactTable } from '~/components/fact_table'
import { useCall } from '~/components/use_call'
import { specificationTexts } from '~/components/server_instance/specifications'
import { Capacity } from './capacity'
import { SoldOut } from './sold_out'
import type { HostView } from './types'
import styles from './information.module.css'

interface InformationProps {
  host: HostView
  barred: string | null
}

/** The Information tab of a host: what it is, how full it is, how it is reached. */
export function HostInformation({ host, barred }: InformationProps) {
  const [editing, setEditing] = useState<'facts' | 'ssh' | null>(null)
  const close = () => setEditing(null)
  return (
    <div className={styles.parts}>
      <section aria-label="Capacity">
        <h2>Capacity</h2>
        <Capacity capacity={host.capacity} />
        <SoldOut soldOut={host.sold_out} />
      </section>
      <section aria-label="About">
        <div className={styles.heading}>
          <h2>About</h2>
          <DisabledReason
            size="xs"
            variant="default"
            reason={barred}
            onClick={() => setEditing('facts')}
          >
            Edit
          </DisabledReason>
          <DisabledReason
            size="xs"
            variant="default"
            reason={barred}
            onClick={() => setEditing('ssh')}
          >
            SSH access
          </DisabledReason>
        </div>
        <FactTable
          label="Information"
          rows={[
            {
              label: 'IP',
              value: (
                <>
                  <span className="mono">{host.ip}</span>
                  <CopyButton value={host.ip} copied="IP Copied!" what="IP" />
                </>
              ),
            },
            { label: 'Provider', value: host.provider },
            ...specificationTexts(host.specifications).map(({ label, value }) => ({
              label,
              value,
            })),
            { label: 'System id', value: host.system_id },
            {
              label: 'Incus',
              value: host.is_local
                ? 'This machine, by its socket'
                : (host.incus_url ?? 'By its socket, from its own console'),
            },
            {
              label: 'SSH',
              value: host.has_ssh_key
                ? `${host.username ?? 'root'} at port ${host.ssh_port}, key stored`
                : 'No key stored',
            },
            { label: 'Last answer', value: <DateText value={host.seen_at} shape="staff" /> },
            { label: 'Added', value: <DateText value={host.created_at} shape="staff" /> },
          ]}
        />
      </section>
      <Modal
        opened={editing === 'facts'}
        onClose={close}
        title={`Edit ${host.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {editing === 'facts' && <FactsForm host={host} onDone={close} />}
      </Modal>
      <Modal
        opened={editing === 'ssh'}
        onClose={close}
        title="SSH access"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {editing === 'ssh' && <SshForm host={host} onDone={close} />}
      </Modal>
    </div>
  )
}

interface FormProps {
  host: HostView
  onDone: () => void
}

function FactsForm({ host, onDone }: FormProps) {
  const [name, setName] = useState(host.name)
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const { busy, run } = useCall()
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const answer = await run('/admin/host-instance/update', {
          id: host.id,
          name,
          ip: form.get('ip'),
          provider: form.get('provider'),
        })
        setErrors(answer.errors)
        if (answer.success) onDone()
      }}
    >
      <Stack gap="md">
        <NameInput
          label="Name"
          required
          data-autofocus
          value={name}
          onChange={setName}
          {...field('name', errors)}
        />
        <TextInput label="Public IP" required defaultValue={host.ip} {...field('ip', errors)} />
        <TextInput label="Provider" defaultValue={host.provider} {...field('provider', errors)} />
        <FormButtons busy={busy !== null} onCancel={onDone} />
      </Stack>
    </form>
  )
}

function SshForm({ host, onDone }: FormProps) {
  const [port, setPort] = useState<number | string>(host.ssh_port)
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const { busy, run } = useCall()
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const answer = await run('/admin/host-instance/ssh', {
          id: host.id,
          username: form.get('username'),
          port: Number(port),
          key: form.get('key'),
          host_key: form.get('host_key'),
        })
        setErrors(answer.errors)
        if (answer.success) onDone()
      }}
    >
      <Stack gap="md">
        <Group grow align="flex-start">
          <TextInput
            label="Username"
            required
            data-autofocus
            defaultValue={host.username ?? 'root'}
            autoComplete="off"
            {...field('username', errors)}
          />
          <NumberInput
            label="Port"
            required
            min={1}
            max={65535}
            value={port}
            onChange={setPort}
            {...field('port', errors)}
          />
        </Group>
        <Textarea
          label="Private key"
          description="OpenSSH, without a passphrase. It is stored encrypted and never shown again."
          required
          autosize
          minRows={4}
          maxRows={8}
          autoComplete="off"
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 12 } }}
          {...field('key', errors)}
        />
        <Textarea
          label="Host key"
          description="A line of /etc/ssh/ssh_host_ed25519_key.pub of that machine"
          required
          autosize
          minRows={2}
          maxRows={4}
          autoComplete="off"
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 12 } }}
          {...field('host_key', errors)}
        />
        <FormButtons busy={busy !== null} onCancel={onDone} />
      </Stack>
    </form>
  )
}

function FormButtons({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" loading={busy}>
        Save
      </Button>
    </Group>
  )
}
