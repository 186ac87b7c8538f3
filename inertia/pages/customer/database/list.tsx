import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Text } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'
import { CreateForm } from '~/components/database/create_form'
import { DatabaseList } from '~/components/database/database_list'
import { DroppedDatabaseBackups } from '~/components/database/dropped_database_backups'
import { engineLabels } from '~/components/database/engine_labels'
import { ServerSummary, ServerMenu, ServerAlerts } from '~/components/database/server_summary'
import type { DatabaseListPage, ServerView } from '~/components/database/types'
import { Users } from '~/components/database/users'
import { LinkButton } from '~/components/link_button'

function createDisabledReason(server: ServerView | null): string | null {
  if (!server) return 'There is no database server yet.'
  if (server.status === 'installing') return 'The database server is being installed.'
  if (server.status === 'stopped') return 'The database server is stopped. Start it first.'
  if (server.status === 'unknown') return server.problem ?? 'The database server does not respond.'
  return server.status === 'absent' ? server.actions.install : null
}

export default function Databases(page: DatabaseListPage) {
  const { engine, server, problem, serverChoices, databases, users, droppedCopies } = page
  const { title } = engineLabels[engine]
  const [adding, addTo] = useState<ServerView | null>(null)
  const create = (
    <ButtonWithDisabledReason reason={createDisabledReason(server)} onClick={() => addTo(server)}>
      Add New
    </ButtonWithDisabledReason>
  )

  return (
    <>
      <Head title={title} />
      <PageHeader
        title={title}
        hint="Create databases for your sites and apps, import and export data, and run queries."
        action={
          server && (
            <>
              <ServerMenu engine={engine} server={server} />
              {create}
            </>
          )
        }
      >
        {server && <ServerSummary engine={engine} server={server} choices={serverChoices} />}
        {engine === 'mongodb' && (
          <Text size="sm" c="dimmed" mt="xs">
            MongoDB databases are tested with FerretDB, a compatible server, and not yet with
            MongoDB itself. Keep your own backups, and check your data after an import or a restore.
          </Text>
        )}
      </PageHeader>
      {server ? (
        <>
          <ServerAlerts server={server} />
          <DatabaseList
            page={page}
            empty={{
              title: 'No databases yet',
              hint:
                server.status === 'absent'
                  ? `${title} is installed on ${server.name} with your first database. This takes a minute or two.`
                  : 'Create a database with its own user, then use it or import a file.',
              action: create,
            }}
          />
          {(users.length > 0 || databases.length > 0) && (
            <Users engine={engine} server={server} users={users} databases={databases} />
          )}
        </>
      ) : (
        <EmptyState
          title="No database server yet"
          hint={problem ?? 'Databases need a regular server instance. Create or start one first.'}
          action={<LinkButton href="/server-instance/list">Server instances</LinkButton>}
        />
      )}
      {droppedCopies.length > 0 && (
        <DroppedDatabaseBackups server={server} copies={droppedCopies} />
      )}
      <Dialog opened={adding !== null} onClose={() => addTo(null)} title="Add new database">
        {adding && <CreateForm engine={engine} server={adding} onDone={() => addTo(null)} />}
      </Dialog>
    </>
  )
}
