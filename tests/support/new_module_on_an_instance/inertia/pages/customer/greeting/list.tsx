import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Button } from '@mantine/core'
import type { GreetingListPage, GreetingRow } from '#greetings/transformers/page_props'
import { ActionMenu } from '~/components/action_menu'
import { greetingColumns } from '~/components/greeting/greeting_columns'
import { GreetingForm } from '~/components/greeting/greeting_form'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { useApiCall } from '~/components/use_api_call'
import { DangerDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { PageHeader } from '@ui/page_header'

type OpenDialog =
  | { what: 'edit'; greeting?: GreetingRow }
  | { what: 'delete'; greeting: GreetingRow }

export default function GreetingList({ instances, ...answer }: GreetingListPage) {
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const { run } = useApiCall()
  const close = () => setDialog(null)
  const actions: Column<GreetingRow> = {
    label: 'Actions',
    align: 'right',
    width: '90px',
    phone: 'action',
    cell: (greeting) => (
      <ActionMenu
        label={`Actions for the greeting of ${greeting.instance}`}
        actions={[
          { label: 'Edit', onClick: () => setDialog({ what: 'edit', greeting }) },
          { label: 'Delete', danger: true, onClick: () => setDialog({ what: 'delete', greeting }) },
        ]}
      />
    ),
  }
  return (
    <>
      <Head title="Greetings" />
      <PageHeader
        title="Greetings"
        hint="A text in the file greeting.txt of a server instance."
        action={<Button onClick={() => setDialog({ what: 'edit' })}>Add greeting</Button>}
      />
      <List
        path="/greeting/list"
        name="greeting"
        answer={answer}
        label="Greetings"
        all="All Greetings"
        searchLabel="Search greetings"
        live={['greeting']}
        columns={[...greetingColumns(answer.statuses), actions]}
        rowKey={(row) => row.id}
        empty={{ title: 'No greetings yet' }}
        props={['rows', 'statuses', 'instances']}
      />
      <Dialog
        opened={dialog?.what === 'edit'}
        onClose={close}
        title={dialog?.greeting ? 'Edit greeting' : 'Add greeting'}
      >
        {dialog?.what === 'edit' && (
          <GreetingForm greeting={dialog.greeting} instances={instances} onDone={close} />
        )}
      </Dialog>
      {dialog?.what === 'delete' && (
        <DangerDialog
          opened
          confirm="Delete greeting"
          losses={[`The file greeting.txt of ${dialog.greeting.instance}`]}
          onClose={close}
          onConfirm={() => run('/greeting/delete', { id: dialog.greeting.id }, 'successes')}
        />
      )}
    </>
  )
}
