import { useState } from 'react'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { useCallForm } from '~/components/form/use_call_form'
import { checkPassword, PasswordField } from './password_field'
import { PasswordOnce } from './password_once'
import { placeOf } from './selected_place'
import type { Engine, ServerView } from './types'

interface CreateFormProps {
  engine: Engine
  server: ServerView
  onDone: () => void
}

/** Makes a database with a user of its own; the server is installed first where there is none. */
export function CreateForm({ engine, server, onDone }: CreateFormProps) {
  const [name, setName] = useState('')
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [made, setMade] = useState(false)
  const form = useCallForm({
    to: `/database/${engine}/store`,
    check: (fields) => checkPassword(engine, fields),
    send: () => ({
      database_name: name,
      username: user,
      user_password: password,
      ...placeOf(server),
    }),
    onDone: () => setMade(true),
  })

  if (made) return <PasswordOnce database={name} user={user} password={password} onDone={onDone} />
  return (
    <FormFrame form={form} submit="Create database" onCancel={onDone}>
      <NameInput
        label="Database name"
        description="3 to 40 letters, digits and underscores"
        placeholder="shop"
        required
        joint="_"
        maxLength={40}
        data-autofocus
        value={name}
        onChange={setName}
        {...form.field('database_name')}
      />
      <NameInput
        label="Username"
        description="Has full access to this database and no access to others"
        placeholder="shop"
        required
        joint="_"
        maxLength={32}
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
    </FormFrame>
  )
}
