import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'
import { useDialogFromUrl } from '~/components/use_dialog_from_url'
import { List } from '~/components/list/list'
import { LinkButton } from '~/components/link_button'
import { useOperations } from '~/components/operation/use_operations'
import { CreateForm } from '~/components/server_instance/create_form'
import { DeleteInstanceDialog } from '~/components/server_instance/delete_instance_dialog'
import { InstanceCard } from '~/components/server_instance/instance_card'
import type { InstanceCard as Card, InstanceListPage } from '~/components/server_instance/types'
import { useApiCall } from '~/components/use_api_call'
import styles from './list.module.css'

export default function ServerInstanceList(props: InstanceListPage) {
  const { instances, instanceStatus, packages, canOrder, counts } = props
  const kinds = Object.keys(counts ?? {}).filter((status) => counts![status] > 0)
  const present = kinds.some((status) => status !== 'deleted')
  const [ordering, setOrdering] = useDialogFromUrl('add', canOrder.allowed)
  const [deleting, setDeleting] = useState<Card | null>(null)
  const work = useOperations(
    instances.flatMap(({ operation }) => operation ?? []),
    'customer'
  )

  const create = (
    <ButtonWithDisabledReason reason={canOrder.reason} onClick={() => setOrdering(true)}>
      Create New Instance
    </ButtonWithDisabledReason>
  )

  return (
    <>
      <Head title="Server Instances" />
      <PageHeader
        title="Server Instances"
        hint="Order and manage your own servers."
        action={create}
      />
      {kinds.length > 0 || props.search ? (
        <List
          path="/server-instance/list"
          name="server-instance"
          label="Server Instances"
          answer={{ ...props, rows: instances, statuses: instanceStatus }}
          props={['instances', 'instanceStatus', 'packages', 'canOrder']}
          live={['server_instance']}
          rowKey={({ id }) => id}
          all="All Servers"
          sorts={{ name: 'Name', status: 'Status', ip: 'IP' }}
          sections={
            present
              ? [
                  { title: 'Regular Instances', isShown: (row) => row.instance_type === 'regular' },
                  { title: 'Shared Instances', isShown: (row) => row.instance_type === 'shared' },
                ]
              : undefined
          }
          empty={{
            title: 'No server instances yet',
            hint: 'Choose a package and a name. Use the Deleted filter to see your former instances.',
            action: create,
          }}
          card={(row) => (
            <InstanceCard
              instance={row}
              statuses={instanceStatus}
              operation={row.operation && (work.get(row.operation.id) ?? row.operation)}
              details={cardNote(row)}
              actions={<CardActions instance={row} onDelete={() => setDeleting(row)} />}
            />
          )}
        />
      ) : (
        <EmptyState
          title="No server instances yet"
          hint="Choose a package and a name. The instance is ready in less than a minute."
          action={create}
        />
      )}
      <Dialog
        opened={ordering}
        onClose={() => setOrdering(false)}
        title="Create New Instance"
        size={640}
        className={styles.dialog}
      >
        {ordering && <CreateForm packages={packages} onDone={() => setOrdering(false)} />}
      </Dialog>
      <DeleteInstanceDialog instance={deleting} onClose={() => setDeleting(null)} />
    </>
  )
}

function cardNote({ is_default: isDefault, deleted_at: deletedAt }: Card) {
  if (!deletedAt) return isDefault ? 'Default instance' : undefined
  return (
    <>
      Deleted <DateText value={deletedAt} />
    </>
  )
}

function CardActions({ instance, onDelete }: { instance: Card; onDelete: () => void }) {
  const { busy, run } = useApiCall()
  const { id, name, status, can, is_default: isDefault } = instance
  return (
    <>
      {can.setDefault.allowed && !isDefault && (
        <Button
          size="xs"
          variant="subtle"
          loading={busy === `/server-instance/set-as-default/${id}`}
          aria-label={`Set as default: ${name}`}
          onClick={() => run(`/server-instance/set-as-default/${id}`, {})}
        >
          Set as default
        </Button>
      )}
      {status === 'stopped' && can.start.allowed && (
        <Button
          size="xs"
          variant="default"
          loading={busy === '/server-instance/start'}
          aria-label={`Start ${name}`}
          onClick={() => run('/server-instance/start', { id })}
        >
          Start
        </Button>
      )}
      {status === 'failed' && can.retry.allowed && (
        <Button
          size="xs"
          variant="default"
          loading={busy === '/server-instance/retry'}
          aria-label={`Retry ${name}`}
          onClick={() => run('/server-instance/retry', { id })}
        >
          Retry
        </Button>
      )}
      {['stopped', 'failed', 'suspended'].includes(status) && can.delete.allowed && (
        <Button
          size="xs"
          variant="subtle"
          color="red"
          aria-label={`Delete ${name}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      )}
      {status === 'deleted' && (
        <LinkButton
          size="xs"
          variant="default"
          href={`/server-instance/${id}`}
          aria-label={`View Details of ${name}`}
        >
          View Details
        </LinkButton>
      )}
      {status === 'active' && (
        <LinkButton size="xs" href={`/server-instance/${id}`} aria-label={`Manage ${name}`}>
          Manage
        </LinkButton>
      )}
    </>
  )
}
