import { Alert, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import type { BodyStorageName } from './types'
import { useFetch } from '../use_fetch'

export const storeLabels: Record<BodyStorageName, string> = { folder: 'Folder', bucket: 'Bucket' }

const storeHints: Record<BodyStorageName, string> = {
  folder: 'The disk of the machine that serves vaults',
  bucket: 'A bucket in an external S3 service',
}

interface MoveVaultDialogProps {
  vault: { id: number; name: string; store: BodyStorageName }
  onClose: () => void
}

export function MoveVaultDialog({ vault, onClose }: MoveVaultDialogProps) {
  return (
    <Dialog opened onClose={onClose} title={`Move ${vault.name}`}>
      <MoveVaultForm vault={vault} onClose={onClose} />
    </Dialog>
  )
}

interface Stores {
  stores: { name: BodyStorageName; problem: string | null }[]
}

function MoveVaultForm({ vault, onClose }: MoveVaultDialogProps) {
  const { data, problem } = useFetch<Stores>('/admin/vault/stores')
  const [selected, choose] = useState<string>(vault.store)
  const form = useApiForm({
    to: '/admin/vault/move',
    send: () => ({ id: vault.id, store: selected }),
    onDone: onClose,
  })
  const whyNot = (name: BodyStorageName) => {
    const store = data?.stores.find((store) => store.name === name)
    if (name === vault.store) return 'Current store'
    if (!data) return 'Checking…'
    return store
      ? store.problem
      : 'This store is not set up. Set VAULT_BUCKET_URL and the related settings of the vault service.'
  }
  return (
    <FormFrame form={form} submit="Move vault" onCancel={onClose}>
      <Text>
        New files go to the new store immediately. Berth moves the existing files in the background.
        They stay available.
      </Text>
      {problem && <Alert color="red">{problem}</Alert>}
      <Radio.Group label="Store" value={selected} onChange={choose}>
        <Stack gap="xs" mt="xs">
          {(['folder', 'bucket'] as const).map((name) => (
            <Radio
              key={name}
              value={name}
              label={storeLabels[name]}
              description={whyNot(name) ?? storeHints[name]}
              disabled={whyNot(name) !== null}
            />
          ))}
        </Stack>
      </Radio.Group>
    </FormFrame>
  )
}
