import { Alert, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useCallForm } from '~/components/form/use_call_form'
import type { StoreName } from './types'
import { useRead } from './use_read'

/** What staff call the places that vaults can be in. */
export const storeLabels: Record<StoreName, string> = { folder: 'Folder', bucket: 'Bucket' }

const hints: Record<StoreName, string> = {
  folder: 'The disk of the machine that serves vaults',
  bucket: 'A bucket in another S3 store',
}

interface MoveVaultProps {
  vault: { id: number; name: string; store: StoreName }
  onClose: () => void
}

/** Moves a vault to another store while it is served. */
export function MoveVault({ vault, onClose }: MoveVaultProps) {
  return (
    <Dialog opened onClose={onClose} title={`Move ${vault.name}`}>
      <MoveForm vault={vault} onClose={onClose} />
    </Dialog>
  )
}

interface Stores {
  stores: { name: StoreName; problem: string | null }[]
}

function MoveForm({ vault, onClose }: MoveVaultProps) {
  const { data, problem } = useRead<Stores>('/admin/vault/stores')
  const [chosen, choose] = useState<string>(vault.store)
  const form = useCallForm({
    to: '/admin/vault/move',
    send: () => ({ id: vault.id, store: chosen }),
    onDone: onClose,
  })
  const whyNot = (name: StoreName) => {
    const found = data?.stores.find((store) => store.name === name)
    if (name === vault.store) return 'Current store'
    if (!data) return 'Checking…'
    return found
      ? found.problem
      : 'This store is not set up. Set VAULT_BUCKET_URL and the related settings of the vault service.'
  }
  return (
    <FormFrame form={form} submit="Move vault" onCancel={onClose}>
      <Text>
        New files go to the new store immediately. Existing files are moved in the background and
        stay available.
      </Text>
      {problem && <Alert color="red">{problem}</Alert>}
      <Radio.Group label="Store" value={chosen} onChange={choose}>
        <Stack gap="xs" mt="xs">
          {(['folder', 'bucket'] as const).map((name) => (
            <Radio
              key={name}
              value={name}
              label={storeLabels[name]}
              description={whyNot(name) ?? hints[name]}
              disabled={whyNot(name) !== null}
            />
          ))}
        </Stack>
      </Radio.Group>
    </FormFrame>
  )
}
