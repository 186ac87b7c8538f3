import { useState } from 'react'
import { NativeSelect, PasswordInput, Text } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { EmptyState } from '@ui/empty_state'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import { LinkButton } from '~/components/link_button'
import { serverParams } from './server_params'
import type { DatabasePage } from './types'
import styles from './database.module.css'

export function ConnectionInfo({ page }: { page: DatabasePage }) {
  const { connections } = page
  return (
    <>
      <section className={styles.part} aria-label="Connection strings">
        <p className={styles.calm}>
          Replace <code>{'{password}'}</code> with the password of the database user. Berth does not
          store the password in readable form.
        </p>
        {connections.map(({ label, text }) => (
          <div key={label} className={styles.connection}>
            <header>
              <h3>{label}</h3>
              <CopyButton value={text} copied="Copied" what={label} />
            </header>
            <pre tabIndex={0} aria-label={label}>
              {text}
            </pre>
          </div>
        ))}
      </section>
      <AddToProjectForm page={page} />
    </>
  )
}

function AddToProjectForm({ page }: { page: DatabasePage }) {
  const { engine, server, database, projects, users } = page
  const names = [...new Set(users.map((row) => ('User' in row ? row.User : row.user)))]
  const [password, setPassword] = useState('')
  const form = useApiForm({
    to: `/database/${engine}/project`,
    check: (fields): Record<string, string> =>
      fields.get('user_password') ? {} : { user_password: 'Enter this user’s password.' },
    send: (fields) => ({
      ...serverParams(server),
      database_name: database.full_name,
      project_id: Number(fields.get('project_id')),
      username: fields.get('username'),
      user_password: password,
    }),
    onDone: () => setPassword(''),
  })
  return (
    <section className={styles.part} aria-label="Use in a project">
      <header className={styles.partHead}>
        <h2>Use in a project</h2>
      </header>
      {projects.length === 0 ? (
        <EmptyState
          title="No project on this server instance yet"
          hint="You can add the database address to a project on the same instance."
          action={
            <LinkButton variant="default" href="/project/list">
              Projects / Sites
            </LinkButton>
          }
        />
      ) : (
        <div className={styles.narrow}>
          <FormFrame
            form={form}
            submit="Add to environment"
            buttons="left"
            quiet
            reason={names.length ? null : 'Add a user first.'}
          >
            <Text size="sm">
              Processes and builds get the address as environment variables when they next start.
              PHP pages do not see these variables. Put a connection string into their configuration
              instead.
            </Text>
            <NativeSelect
              label="Project"
              data={projects.map(({ id, name }) => ({ value: String(id), label: name }))}
              {...form.field('project_id')}
            />
            <NativeSelect label="Username" data={names} {...form.field('username')} />
            <PasswordInput
              label="Password"
              required
              autoComplete="off"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              {...form.field('user_password')}
            />
          </FormFrame>
        </div>
      )}
    </section>
  )
}
