import { useState } from 'react'
import { Switch, TextInput } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { FormFrame } from '@ui/form_frame'
import { ActionMenu } from '~/components/action_menu'
import { useApiForm } from '~/components/form/use_api_form'
import { Table } from '~/components/list/table'
import { useApiCall } from '~/components/use_api_call'
import { NewKeySecret, type KeyWithSecret } from './new_key_secret'
import { RotateSecretForm } from './rotate_secret_form'
import type { AccessKeyRow } from './types'
import type { VaultKeys } from './use_vault_keys'
import sectionStyles from '~/components/content_section.module.css'
import styles from './vault.module.css'

interface AccessKeysProps {
  vault: number
  accessKeyId: number
  keys: VaultKeys
  barred: string | null
}

type OpenDialog = { what: 'make' } | { what: 'rotate' | 'remove'; key: AccessKeyRow }

export function AccessKeys({ vault, accessKeyId, keys, barred }: AccessKeysProps) {
  const [dialog, ask] = useState<OpenDialog | null>(null)
  const { run } = useApiCall()
  const close = () => {
    ask(null)
    keys.again()
  }
  const add = (
    <ButtonWithDisabledReason
      variant="default"
      reason={barred}
      onClick={() => ask({ what: 'make' })}
    >
      New access key
    </ButtonWithDisabledReason>
  )

  return (
    <>
      <header className={sectionStyles.header}>
        <h3>Access keys</h3>
        {keys.access.length > 0 && add}
      </header>
      {keys.problem ? (
        <p className={styles.calm}>{keys.problem}</p>
      ) : keys.access.length === 0 ? (
        keys.loaded && (
          <EmptyState
            title="No access keys yet"
            hint="Create one key for each program. Use a read-only key if the program only reads."
            action={add}
          />
        )
      ) : (
        <Table<AccessKeyRow>
          label="Access keys"
          rows={keys.access}
          rowKey={({ id }) => id}
          columns={[
            { label: 'Name', phone: 'title', cell: ({ name }) => name },
            {
              label: 'Access Key Id',
              mono: true,
              width: '30%',
              phone: 'second',
              cell: ({ access_key_id: id }) => (
                <>
                  <span title={id!}>{id}</span>
                  <CopyButton value={id!} copied="Access Key Id copied" what="access key id" />
                </>
              ),
            },
            {
              label: 'Access',
              width: '130px',
              phone: 'aside',
              cell: ({ read_only: readOnly }) => (readOnly ? 'Read only' : 'Read and write'),
            },
            {
              label: 'Expires',
              width: '180px',
              cell: ({ expires_at: end }) => <DateText value={end} shape="moment" />,
            },
            {
              label: 'Created',
              width: '120px',
              cell: ({ created_at: at }) => <DateText value={at} />,
            },
            {
              label: 'Action',
              align: 'right',
              width: '80px',
              phone: 'action',
              cell: (key) => (
                <ActionMenu
                  label={`Actions for ${key.name}`}
                  actions={[
                    {
                      label: 'Change secret key',
                      reason: barred ?? (key.expires_at ? 'This key is already expiring.' : null),
                      onClick: () => ask({ what: 'rotate', key }),
                    },
                    {
                      label: 'Remove',
                      reason: barred,
                      danger: true,
                      onClick: () => ask({ what: 'remove', key }),
                    },
                  ]}
                />
              ),
            },
          ]}
        />
      )}
      <Dialog opened={dialog?.what === 'make'} onClose={close} title="New access key">
        {dialog?.what === 'make' && <CreateKeyForm vault={vault} onDone={close} />}
      </Dialog>
      <Dialog
        opened={dialog?.what === 'rotate'}
        onClose={close}
        title={dialog?.what === 'rotate' ? `Change secret key of ${dialog.key.name}` : ''}
      >
        {dialog?.what === 'rotate' && (
          <RotateSecretForm
            to="/vault/key/rotate"
            of={{ id: vault, key_id: dialog.key.id }}
            accessKeyId={accessKeyId}
            onDone={close}
          />
        )}
      </Dialog>
      {dialog?.what === 'remove' && (
        <DangerDialog
          opened
          title={`Remove ${dialog.key.name}`}
          question={`Remove the access key ${dialog.key.name}? Programs that use it stop working immediately.`}
          confirm="Remove key"
          onClose={close}
          onConfirm={() =>
            run('/vault/key/remove', { id: vault, key_id: dialog.key.id }, 'successes')
          }
        />
      )}
    </>
  )
}

function CreateKeyForm({ vault, onDone }: { vault: number; onDone: () => void }) {
  const [newKey, setNewKey] = useState<KeyWithSecret | null>(null)
  const form = useApiForm({
    to: '/vault/key/store',
    send: (fields) => ({
      id: vault,
      name: fields.get('name'),
      read_only: fields.get('read_only') === 'on',
    }),
    onDone: (data) => setNewKey(data as KeyWithSecret),
  })

  if (newKey) return <NewKeySecret newKey={newKey} onDone={onDone} />
  return (
    <FormFrame form={form} submit="Create key" onCancel={onDone}>
      <TextInput
        label="Name"
        description="The program that uses this key"
        placeholder="backups"
        required
        maxLength={60}
        data-autofocus
        {...form.field('name')}
      />
      <Switch label="Read only" name="read_only" />
    </FormFrame>
  )
}
