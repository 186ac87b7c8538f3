import { useState } from 'react'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { ActionMenu } from '~/components/action_menu'
import { prefixOf } from '~/area'
import { useCall } from '~/components/use_call'
import { DeleteInstance } from './delete_instance'
import type { InstanceCard } from './types'

interface PowerButtonsProps {
  instance: InstanceCard
  /** why this person may do nothing of it */
  barred?: string | null
  area?: 'customer' | 'admin'
  /** in a menu, where other buttons are pressed more often */
  inMenu?: boolean
}

type Verb = 'start' | 'stop' | 'restart' | 'retry'

/** Start, stop, restart, delete; each disabled with its reason while it cannot be done. */
export function PowerButtons({
  instance,
  barred,
  area = 'customer',
  inMenu = false,
}: PowerButtonsProps) {
  const { id, name, can, status } = instance
  const { busy, run } = useCall()
  const [asking, setAsking] = useState<'stop' | 'restart' | 'delete' | null>(null)
  const path = (verb: Verb) => `${prefixOf(area)}/server-instance/${verb}` as const
  const act = (verb: Verb) => {
    setAsking(null)
    void run(path(verb), { id })
  }
  const reason = (verb: keyof InstanceCard['can']) => barred ?? can[verb].reason

  return (
    <>
      {status === 'failed' && (
        <DisabledReason
          loading={busy === path('retry')}
          reason={reason('retry')}
          onClick={() => act('retry')}
        >
          Retry
        </DisabledReason>
      )}
      {inMenu ? (
        <ActionMenu
          label={`More for ${name}`}
          text="More"
          busy={busy !== null}
          actions={[
            { label: 'Start', reason: reason('start'), onClick: () => act('start') },
            { label: 'Stop', reason: reason('stop'), onClick: () => setAsking('stop') },
            { label: 'Restart', reason: reason('restart'), onClick: () => setAsking('restart') },
            {
              label: 'Delete',
              danger: true,
              reason: reason('delete'),
              onClick: () => setAsking('delete'),
            },
          ]}
        />
      ) : (
        <>
          <DisabledReason
            variant="default"
            loading={busy === path('start')}
            reason={reason('start')}
            onClick={() => act('start')}
          >
            Start
          </DisabledReason>
          <DisabledReason
            variant="default"
            loading={busy === path('stop')}
            reason={reason('stop')}
            onClick={() => setAsking('stop')}
          >
            Stop
          </DisabledReason>
          <DisabledReason
            variant="default"
            loading={busy === path('restart')}
            reason={reason('restart')}
            onClick={() => setAsking('restart')}
          >
            Restart
          </DisabledReason>
          <DisabledReason
            variant="outline"
            color="red"
            reason={reason('delete')}
            onClick={() => setAsking('delete')}
          >
            Delete
          </DisabledReason>
        </>
      )}
      <ConfirmDialog
        opened={asking === 'stop'}
        question={`All programs on ${name} stop, and its sites are offline until you start it again. Files stay. Berth forces a power-off if it does not shut down.`}
        confirm="Stop instance"
        onConfirm={() => act('stop')}
        onClose={() => setAsking(null)}
      />
      <ConfirmDialog
        opened={asking === 'restart'}
        question={`All programs on ${name} stop and start again. Open terminals close. Berth forces a power-off if it does not shut down.`}
        confirm="Restart instance"
        onConfirm={() => act('restart')}
        onClose={() => setAsking(null)}
      />
      <DeleteInstance
        instance={asking === 'delete' ? instance : null}
        area={area}
        onClose={() => setAsking(null)}
      />
    </>
  )
}
