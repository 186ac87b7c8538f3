import { DangerDialog } from '@ui/confirm_dialog'
import { prefixForArea } from '~/area_prefix'
import { call } from '~/api_call'
import { NAME_MISMATCH_MESSAGE } from '~/components/check_typed_name'
import type { Area } from '~/types'
import { visit } from '~/visit'
import type { InstanceCard } from './types'

interface DeleteInstanceDialogProps {
  /** Null closes the dialog. */
  instance: Pick<InstanceCard, 'id' | 'name' | 'instance_type' | 'ip'> | null
  area?: Extract<Area, 'customer' | 'admin'>
  onClose: () => void
}

export function DeleteInstanceDialog({
  instance,
  area = 'customer',
  onClose,
}: DeleteInstanceDialogProps) {
  const shared = instance?.instance_type === 'shared'

  const remove = async (name: string) => {
    const prefix = prefixForArea(area)
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
