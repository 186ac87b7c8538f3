import { useState } from 'react'
import { TypedNameDialog } from '@ui/typed_name_dialog'
import { prefixOf } from '~/area'
import { call } from '~/call'
import type { Area } from '~/types'
import { visit } from '~/visit'
import type { InstanceCard } from './types'

/** Letter for letter (product, "Machines"). */
export const NAME_MISMATCH =
  'Instance name does not match. Please type the correct instance name to confirm.'

interface DeleteInstanceProps {
  /** the one to delete; without one the dialog is closed */
  instance: Pick<InstanceCard, 'id' | 'name' | 'instance_type' | 'ip'> | null
  area?: Extract<Area, 'customer' | 'admin'>
  onClose: () => void
}

/** Asks for the name of an instance and deletes it with all that is on it. */
export function DeleteInstance({ instance, area = 'customer', onClose }: DeleteInstanceProps) {
  const [busy, setBusy] = useState(false)
  const shared = instance?.instance_type === 'shared'

  const remove = async (name: string) => {
    setBusy(true)
    const prefix = prefixOf(area)
    const { success } = await call(`${prefix}/server-instance/delete`, {
      data: { id: instance?.id, name },
    })
    setBusy(false)
    if (!success) return
    onClose()
    visit(`${prefix}/server-instance/list`)
  }

  return (
    <TypedNameDialog
      opened={instance !== null}
      title={`Delete ${instance?.name ?? ''}`}
      name={instance?.name ?? ''}
      losses={[
        'Everything on its disk, with no way back',
        shared ? 'Its domains' : `Its address and ports${instance?.ip ? ` (${instance.ip})` : ''}`,
        'Projects, sites and databases that run on it',
      ]}
      confirm="Delete instance"
      mismatch={NAME_MISMATCH}
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
