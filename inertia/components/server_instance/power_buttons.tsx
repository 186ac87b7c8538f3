import { useState } from 'react'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { ActionMenu } from '~/components/action_menu'
import { prefixForArea } from '~/area_prefix'
import { useApiCall } from '~/components/use_api_call'
import { DeleteInstanceDialog } from './delete_instance_dialog'
import type { InstanceCard } from './types'

interface PowerButtonsProps {
  instance: InstanceCard
  barred?: string | null
  area?: 'customer' | 'admin'
  /** Whether the actions are in a menu instead of buttons, for pages with more important buttons. */
  inMenu?: boolean
}

type PowerAction = 'start' | 'stop' | 'restart' | 'retry'

export function PowerButtons({
  instance,
  barred,
  area = 'customer',
  inMenu = false,
}: PowerButtonsProps) {
  const { id, name, can, status } = instance
  const { busy, run } = useApiCall()
  const [asking, setAsking] = useState<'stop' | 'restart' | 'delete' | null>(null)
  const path = (verb: PowerAction) => `${prefixForArea(area)}/server-instance/${verb}` as const
  const act = (verb: PowerAction) => {
    setAsking(null)
    void run(path(verb), { id })
  }
  const reason = (verb: keyof InstanceCard['can']) => barred ?? can[verb].reason

  return (
    <>
      {status === 'failed' && (
        <ButtonWithDisabledReason
          loading={busy === path('retry')}
          reason={reason('retry')}
          onClick={() => act('retry')}
        >
          Retry
        </ButtonWithDisabledReason>
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
          <ButtonWithDisabledReason
            variant="default"
            loading={busy === path('start')}
            reason={reason('start')}
            onClick={() => act('start')}
          >
            Start
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            variant="default"
            loading={busy === path('stop')}
            reason={reason('stop')}
            onClick={() => setAsking('stop')}
          >
            Stop
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            variant="default"
            loading={busy === path('restart')}
            reason={reason('restart')}
            onClick={() => setAsking('restart')}
          >
            Restart
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            variant="outline"
            color="red"
            reason={reason('delete')}
            onClick={() => setAsking('delete')}
          >
            Delete
          </ButtonWithDisabledReason>
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
      <DeleteInstanceDialog
        instance={asking === 'delete' ? instance : null}
        area={area}
        onClose={() => setAsking(null)}
      />
    </>
  )
}
