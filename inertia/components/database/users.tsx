import { useState } from 'react'
import { Button, Menu, NativeSelect, Text, TextInput, UnstyledButton } from '@mantine/core'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import { DangerDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { useApiForm } from '~/components/form/use_api_form'
import { Table, type Column } from '~/components/list/table'
import { useApiCall } from '~/components/use_api_call'
import { ActionMenu } from '~/components/action_menu'
import { serverNotRunningDisabledReason } from './database_actions'
import { passwordErrors, PasswordField } from './password_field'
import { NewUserCredentials } from './new_user_credentials'
import { serverParams } from './server_params'
import type {
  AccessLevel,
  DatabaseRow,
  Engine,
  MongodbUserRow,
  MysqlUserRow,
  ServerView,
} from './types'
import styles from './database.module.css'

export type UserRow = MysqlUserRow | MongodbUserRow

interface DatabaseUser {
  name: string
  /** For MySQL, the host that the user may connect from. For MongoDB, the authentication database. */
  host: string
  database: string
  access: AccessLevel
}

const accessLabels: Record<AccessLevel, string> = {
  read: 'Read only',
  write: 'Read and write',
  all: 'Full access',
  other: 'Custom',
}

function toDatabaseUser(row: UserRow): DatabaseUser {
  const { access } = row
  return 'User' in row
    ? { name: row.User, host: row.Host, database: row.Db, access }
    : { name: row.user, host: row.db, database: row.db, access }
}

const userKey = (row: UserRow) => {
  const { name, host, database } = toDatabaseUser(row)
  return JSON.stringify([name, host, database])
}

interface UsersProps {
  engine: Engine
  server: ServerView
  users: UserRow[]
  databases: Pick<DatabaseRow, 'name' | 'full_name'>[]
}

type OpenDialog = { what: 'password' | 'remote' | 'remove'; person: DatabaseUser }

export function Users({ engine, server, users, databases }: UsersProps) {
  const [adding, add] = useState(false)
  const [asking, ask] = useState<OpenDialog | null>(null)
  const barred = serverNotRunningDisabledReason(server)
  const { run } = useApiCall()
  const where = serverParams(server)
  const close = () => ask(null)

  const addUser = (
    <ButtonWithDisabledReason
      variant="default"
      reason={barred ?? (databases.length ? null : 'Create a database first.')}
      onClick={() => add(true)}
    >
      Add user
    </ButtonWithDisabledReason>
  )

  const specified: Column<UserRow>[] =
    engine === 'mysql'
      ? [
          { label: 'User', phone: 'title', mono: true, cell: (row) => toDatabaseUser(row).name },
          {
            label: 'Host',
            phone: 'second',
            mono: true,
            cell: (row) => toDatabaseUser(row).host,
          },
          { label: 'Db', phone: 'second', mono: true, cell: (row) => toDatabaseUser(row).database },
        ]
      : [
          { label: 'user', phone: 'title', mono: true, cell: (row) => toDatabaseUser(row).name },
          { label: 'db', phone: 'second', mono: true, cell: (row) => toDatabaseUser(row).database },
          {
            label: 'roles',
            phone: 'second',
            cell: (row) =>
              'roles' in row ? row.roles.map(({ role }) => role).join(', ') || '-' : '-',
          },
        ]

  return (
    <section className={styles.part} aria-label="Users">
      <header className={styles.partHead}>
        <h2>Users</h2>
        {users.length > 0 && addUser}
      </header>
      {users.length === 0 ? (
        <EmptyState
          title="No users yet"
          hint="Each site or app should sign in to its database with its own user."
          action={addUser}
        />
      ) : (
        <Table
          label="Users"
          rows={users}
          rowKey={userKey}
          columns={[
            ...specified,
            {
              label: 'Access',
              width: '170px',
              phone: 'aside',
              cell: (row) => (
                <AccessMenu
                  person={toDatabaseUser(row)}
                  barred={barred}
                  onPick={(access) => {
                    const { name, host, database } = toDatabaseUser(row)
                    void run(`/database/${engine}/user/access`, {
                      ...where,
                      username: name,
                      host,
                      database_name: database,
                      access,
                    })
                  }}
                />
              ),
            },
            {
              label: 'Actions',
              align: 'right',
              width: '90px',
              phone: 'action',
              cell: (row) => {
                const person = toDatabaseUser(row)
                const open = (what: OpenDialog['what']) => () => ask({ what, person })
                return (
                  <ActionMenu
                    label={`Actions for ${person.name}`}
                    actions={[
                      { label: 'Change password', reason: barred, onClick: open('password') },
                      {
                        label: 'Remote access',
                        reason: barred ?? remoteAccessDisabledReason(engine, server),
                        onClick: open('remote'),
                      },
                      { label: 'Remove', reason: barred, danger: true, onClick: open('remove') },
                    ]}
                  />
                )
              },
            },
          ]}
        />
      )}
      <Dialog opened={adding} onClose={() => add(false)} title="Add user">
        {adding && (
          <UserForm
            engine={engine}
            server={server}
            databases={databases}
            onDone={() => add(false)}
          />
        )}
      </Dialog>
      <Dialog
        opened={asking?.what === 'password'}
        onClose={close}
        title={`Change password of ${asking?.person.name ?? ''}`}
      >
        {asking?.what === 'password' && (
          <PasswordForm engine={engine} server={server} person={asking.person} onDone={close} />
        )}
      </Dialog>
      <Dialog
        opened={asking?.what === 'remote'}
        onClose={close}
        title={`Remote access for ${asking?.person.name ?? ''}`}
      >
        {asking?.what === 'remote' && (
          <RemoteAccessForm engine={engine} server={server} person={asking.person} onDone={close} />
        )}
      </Dialog>
      {asking?.what === 'remove' && (
        <DangerDialog
          opened
          title={`Remove ${asking.person.name}`}
          question={`Remove ${asking.person.name}${engine === 'mysql' ? ` from ${asking.person.host}` : ''}? Apps that use it lose access to ${asking.person.database}. The data stays.`}
          confirm="Remove user"
          onClose={close}
          onConfirm={() => {
            const { name, host, database } = asking.person
            return run(
              `/database/${engine}/user/remove`,
              { ...where, username: name, host, database_name: database },
              'successes'
            )
          }}
        />
      )}
    </section>
  )
}

function remoteAccessDisabledReason(engine: Engine, server: ServerView): string | null {
  if (server.server_instance_id === null)
    return 'The managed database server accepts connections only from your instances.'
  return engine === 'mysql'
    ? null
    : 'Remote access is not available for MongoDB: its port is not open.'
}

interface AccessMenuProps {
  person: DatabaseUser
  barred: string | null
  onPick: (access: AccessLevel) => void
}

function AccessMenu({ person, barred, onPick }: AccessMenuProps) {
  const { name, access } = person
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <UnstyledButton
          className={styles.access}
          data-keep
          aria-label={`Access of ${name}: ${accessLabels[access]}`}
        >
          {accessLabels[access]}
          <IconChevronDown size={14} stroke={1.75} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {barred && <Menu.Label>{barred}</Menu.Label>}
        {(['read', 'write', 'all'] as const).map((key) => (
          <Menu.Item
            key={key}
            disabled={barred !== null || key === access}
            onClick={() => onPick(key)}
          >
            {accessLabels[key]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface FormProps {
  engine: Engine
  server: ServerView
  onDone: () => void
}

function UserForm({
  engine,
  server,
  databases,
  onDone,
}: FormProps & Pick<UsersProps, 'databases'>) {
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [database, setDatabase] = useState(databases[0].full_name)
  const [isCreated, setIsCreated] = useState(false)
  const form = useApiForm({
    to: `/database/${engine}/user/store`,
    check: (fields) => passwordErrors(engine, fields),
    send: (fields) => ({
      ...serverParams(server),
      database_name: database,
      username: user,
      user_password: password,
      access: fields.get('access'),
    }),
    onDone: () => setIsCreated(true),
  })

  if (isCreated)
    return (
      <NewUserCredentials database={database} user={user} password={password} onDone={onDone} />
    )
  return (
    <FormFrame form={form} submit="Add user" onCancel={onDone}>
      {databases.length > 1 && (
        <NativeSelect
          label="Database"
          value={database}
          onChange={({ currentTarget: { value } }) => setDatabase(value)}
          data={databases.map(({ name, full_name: value }) => ({ value, label: name }))}
          {...form.field('database_name')}
        />
      )}
      <NameInput
        label="Username"
        required
        joint="_"
        maxLength={32}
        data-autofocus
        value={user}
        onChange={setUser}
        {...form.field('username')}
      />
      <PasswordField
        engine={engine}
        value={password}
        onChange={setPassword}
        {...form.field('user_password')}
      />
      <NativeSelect
        label="Access"
        defaultValue="all"
        data={(['read', 'write', 'all'] as const).map((value) => ({
          value,
          label: accessLabels[value],
        }))}
        {...form.field('access')}
      />
    </FormFrame>
  )
}

function PasswordForm({ engine, server, person, onDone }: FormProps & { person: DatabaseUser }) {
  const [password, setPassword] = useState('')
  const [isChanged, setIsChanged] = useState(false)
  const form = useApiForm({
    to: `/database/${engine}/user/password`,
    check: (fields) => passwordErrors(engine, fields),
    send: () => ({
      ...serverParams(server),
      database_name: person.database,
      username: person.name,
      host: person.host,
      user_password: password,
    }),
    onDone: () => setIsChanged(true),
  })

  if (isChanged)
    return <NewUserCredentials user={person.name} password={password} onDone={onDone} />
  return (
    <FormFrame form={form} submit="Change password" onCancel={onDone}>
      <Text>{`Apps that sign in as ${person.name} need the new password from now on.`}</Text>
      <PasswordField
        engine={engine}
        label="New password"
        value={password}
        onChange={setPassword}
        data-autofocus
        {...form.field('user_password')}
      />
    </FormFrame>
  )
}

function RemoteAccessForm({
  engine,
  server,
  person,
  onDone,
}: FormProps & { person: DatabaseUser }) {
  const isLocal = person.host === 'localhost'
  const [address, setAddress] = useState(isLocal ? '' : person.host)
  const form = useApiForm({
    to: `/database/${engine}/user/remote`,
    send: () => ({
      ...serverParams(server),
      database_name: person.database,
      username: person.name,
      host: person.host,
      address: address.trim(),
    }),
    onDone,
  })

  return (
    <FormFrame form={form} submit="Save" onCancel={onDone}>
      <Text>
        {`${person.name} can always connect from the server instance itself. Enter an address to also allow connections from that address. Leave it empty to allow no remote access.`}
      </Text>
      <TextInput
        label="Address"
        description="One IP address, or a range like 203.0.113.0/24"
        placeholder="203.0.113.7"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        value={address}
        rightSectionWidth={86}
        rightSection={
          address ? (
            <Button size="compact-xs" variant="subtle" onClick={() => setAddress('')}>
              Clear
            </Button>
          ) : undefined
        }
        onChange={(event) => setAddress(event.currentTarget.value)}
        {...form.field('address')}
      />
    </FormFrame>
  )
}
