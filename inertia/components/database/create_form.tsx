import { useState } from 'react'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { useApiForm } from '~/components/form/use_api_form'
import { passwordErrors, PasswordField } from './password_field'
import { NewUserCredentials } from './new_user_credentials'
import { serverParams } from './server_params'
import type { Engine, ServerView } from './types'

interface CreateFormProps {
  engine: Engine
  server: ServerView
  onDone: () => void
}

export function CreateForm({ engine, server, onDone }: CreateFormProps) {
  const [name, setName] = useState('')
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [isCreated, setIsCreated] = useState(false)
  const form = useApiForm({
    to: `/database/${engine}/store`,
    check: (fields) => passwordErrors(engine, fields),
    send: () => ({
      database_name: name,
      username: user,
      user_password: password,
      ...serverParams(server),
    }),
    onDone: () => setIsCreated(true),
  })

  if (isCreated)
    return <NewUserCredentials database={name} user={user} password={password} onDone={onDone} />
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
