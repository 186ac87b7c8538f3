import { useState } from 'react'
import { ConfirmDialog, DangerDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { NAME_MISMATCH_MESSAGE } from '~/components/check_typed_name'
import { useApiCall } from '~/components/use_api_call'
import { visit } from '~/visit'
import type { HostView } from './types'

export function HostActions({ host, barred }: { host: HostView; barred: string | null }) {
  const { id, name, status, can } = host
  const { busy, run } = useApiCall()
  const [asking, setAsking] = useState<'maintenance' | 'delete' | null>(null)
  const inMaintenance = status === 'maintenance'

  const remove = async (typed: string) => {
    const answer = await run('/admin/host-instance/delete', { id, name: typed }, 'successes')
    if (answer.success) visit('/admin/host-instance/list')
    return answer
  }

  return (
    <>
      <ButtonWithDisabledReason
        variant="default"
        loading={busy === '/admin/host-instance/check'}
        reason={barred ?? can.check.reason}
        onClick={() => run('/admin/host-instance/check', { id })}
      >
        Check now
      </ButtonWithDisabledReason>
      {inMaintenance ? (
        <ButtonWithDisabledReason
          loading={busy === '/admin/host-instance/maintenance'}
          reason={barred ?? can.maintenanceOff.reason}
          onClick={() => run('/admin/host-instance/maintenance', { id, on: false })}
        >
          End maintenance
        </ButtonWithDisabledReason>
      ) : (
        <ButtonWithDisabledReason
          variant="default"
          loading={busy === '/admin/host-instance/maintenance'}
          reason={barred ?? can.maintenanceOn.reason}
          onClick={() => setAsking('maintenance')}
        >
          Start maintenance
        </ButtonWithDisabledReason>
      )}
      <ButtonWithDisabledReason
        variant="outline"
        color="red"
        reason={barred ?? can.delete.reason}
        onClick={() => setAsking('delete')}
      >
        Remove
      </ButtonWithDisabledReason>
      <ConfirmDialog
        opened={asking === 'maintenance'}
        question={`Start maintenance of ${name}? It gets no new server instances until maintenance ends. Existing instances keep running.`}
        confirm="Start maintenance"
        onConfirm={() => {
          setAsking(null)
          void run('/admin/host-instance/maintenance', { id, on: true })
        }}
        onClose={() => setAsking(null)}
      />
      <DangerDialog
        opened={asking === 'delete'}
        title={`Remove ${name}`}
        name={name}
        losses={[
          'The Incus connection and the stored keys',
          'The measurements of this host. Programs on the machine keep running.',
        ]}
        confirm="Remove host"
        mismatch={NAME_MISMATCH_MESSAGE}
        onConfirm={remove}
        onClose={() => setAsking(null)}
      />
    </>
  )
}
