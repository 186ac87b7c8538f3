import { DangerDialog } from '@ui/confirm_dialog'
import { prefixOf } from '~/area'
import { call } from '~/api_call'
import { NAME_MISMATCH_MESSAGE } from '~/components/name_mismatch'
import type { Area } from '~/types'
import { visit } from '~/visit'
import type { InstanceCard } from './types'

interface DeleteInstanceProps {
  /** the one to delete; without one the dialog is closed */
  instance: Pick<InstanceCard, 'id' | 'name' | 'instance_type' | 'ip'> | null
  area?: Extract<Area, 'customer' | 'admin'>
  onClose: () => void
}

/** Asks for the name of an instance and deletes it with all that is on it. */
export function DeleteInstance({ instance, area = 'customer', onClose }: DeleteInstanceProps) {
  const shared = instance?.instance_type === 'shared'

  const remove = async (name: string) => {
    const prefix = prefixOf(area)
    const answer = await call(`${prefix}/server-instance/delete`, {
      data: { id: instance?.id, name },
      toasts: 'successes',
    })
    if (answer.success) visit(`${prefix}/server-instance/list`)
    return answer
  }

  return (
    <DangerDialog
      opened={instance !== null}
      title={`Delete ${instance?.name ?? ''}`}
      name={instance?.name ?? ''}
      losses={[
        'All data on its disk. It cannot be recovered.',
        shared ? 'Its domains' : `Its address and ports${instance?.ip ? ` (${instance.ip})` : ''}`,
        'Projects, sites and databases that run on it',
      ]}
      confirm="Delete instance"
      mismatch={NAME_MISMATCH_MESSAGE}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
