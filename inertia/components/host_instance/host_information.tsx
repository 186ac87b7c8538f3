import { useState } from 'react'
import { Group, NumberInput, Textarea, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { Dialog } from '@ui/dialog'
import { CopyableText } from '@ui/copyable_text'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { NameInput } from '@ui/name_input'
import { useApiForm } from '~/components/form/use_api_form'
import { DescriptionList } from '~/components/description_list'
import { specificationItems } from '~/components/server_instance/specifications_list'
import { Capacity } from './capacity'
import { DiskAllocation } from './disk_allocation'
import { SoldOutPackages } from './sold_out_packages'
import type { HostView } from './types'
import styles from './host_information.module.css'

interface InformationProps {
  host: HostView
  barred: string | null
}

export function HostInformation({ host, barred }: InformationProps) {
  const [editing, setEditing] = useState<'facts' | 'ssh' | null>(null)
  const close = () => setEditing(null)
  return (
    <div className={styles.parts}>
      <section aria-label="Capacity">
        <h2>Capacity</h2>
        <Capacity capacity={host.capacity} />
        <DiskAllocation host={host} />
        <SoldOutPackages soldOut={host.sold_out} />
      </section>
      <section aria-label="About">
        <div className={styles.heading}>
          <h2>About</h2>
          <ButtonWithDisabledReason
            size="xs"
            variant="default"
            reason={barred}
            onClick={() => setEditing('facts')}
          >
            Edit
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            size="xs"
            variant="default"
            reason={barred}
            onClick={() => setEditing('ssh')}
          >
            SSH access
          </ButtonWithDisabledReason>
        </div>
        <DescriptionList
          label="Information"
          rows={[
            { label: 'IP', value: <CopyableText text={host.ip} copied="IP Copied!" what="IP" /> },
            { label: 'Provider', value: host.provider },
            ...specificationItems(host.specifications).map(({ label, value }) => ({
              label,
              value,
            })),
            { label: 'System id', value: host.system_id },
            {
              label: 'Incus',
              value: host.is_local
                ? 'Local Unix socket'
                : (host.incus_url ?? 'Unix socket, used only by the console on that host'),
            },
            {
              label: 'SSH',
              value: host.has_ssh_key
                ? `${host.username ?? 'root'} on port ${host.ssh_port}, key stored`
                : 'No key stored',
            },
            { label: 'Last response', value: <DateText value={host.seen_at} shape="staff" /> },
            { label: 'Added', value: <DateText value={host.created_at} shape="staff" /> },
          ]}
        />
      </section>
      <Dialog opened={editing === 'facts'} onClose={close} title={`Edit ${host.name}`}>
        {editing === 'facts' && <HostDetailsForm host={host} onDone={close} />}
      </Dialog>
      <Dialog opened={editing === 'ssh'} onClose={close} title="SSH access">
        {editing === 'ssh' && <SshSettingsForm host={host} onDone={close} />}
      </Dialog>
    </div>
  )
}

interface FormProps {
  host: HostView
  onDone: () => void
}

function HostDetailsForm({ host, onDone }: FormProps) {
  const [name, setName] = useState(host.name)
  const [overcommit, setOvercommit] = useState<number | string>(host.capacity.disk.overcommit)
  const form = useApiForm({
    to: '/admin/host-instance/update',
    send: (fields) => ({
      id: host.id,
      ...Object.fromEntries(fields),
      disk_overcommit: overcommit,
    }),
    onDone,
  })
  return (
    <FormFrame form={form} submit="Save" onCancel={onDone}>
      <NameInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={setName}
        {...form.field('name')}
      />
      <TextInput label="Public IP" required defaultValue={host.ip} {...form.field('ip')} />
      <TextInput label="Provider" defaultValue={host.provider} {...form.field('provider')} />
      <NumberInput
        label="Disk overcommit"
        description="How many times Berth may allocate the disk. 1 allocates each byte once. Above 1, the disk limits of all instances together can exceed the disk. If the disk gets full, writes fail in all instances of this host, and databases stop. When less than 10 % is free, Berth raises an alert and puts no new instances on this host."
        required
        min={1}
        max={4}
        step={0.1}
        decimalScale={2}
        value={overcommit}
        onChange={setOvercommit}
        {...form.field('disk_overcommit')}
      />
    </FormFrame>
  )
}

function SshSettingsForm({ host, onDone }: FormProps) {
  const [port, setPort] = useState<number | string>(host.ssh_port)
  const form = useApiForm({
    to: '/admin/host-instance/ssh',
    send: (fields) => ({ id: host.id, ...Object.fromEntries(fields), port: Number(port) }),
    onDone,
  })
  return (
    <FormFrame form={form} submit="Save" onCancel={onDone}>
      <Group grow align="flex-start">
        <TextInput
          label="Username"
          required
          data-autofocus
          defaultValue={host.username ?? 'root'}
          autoComplete="off"
          {...form.field('username')}
        />
        <NumberInput
          label="Port"
          required
          min={1}
          max={65535}
          value={port}
          onChange={setPort}
          {...form.field('port')}
        />
      </Group>
      <Textarea
        label="Private key"
        description="In OpenSSH format, without a passphrase. Berth stores the key encrypted and never shows it again."
        required
        autosize
        minRows={4}
        maxRows={8}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 12 } }}
        {...form.field('key')}
      />
      <Textarea
        label="Host key"
        description="The content of /etc/ssh/ssh_host_ed25519_key.pub on this host"
        required
        autosize
        minRows={2}
        maxRows={4}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 12 } }}
        {...form.field('host_key')}
      />
    </FormFrame>
  )
}
