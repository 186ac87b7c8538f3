import { CopyableText } from '@ui/copyable_text'
import { NewSecret } from '~/components/new_secret'

interface NewUserCredentialsProps {
  database?: string
  user: string
  password: string
  onDone: () => void
}

export function NewUserCredentials({ database, user, password, onDone }: NewUserCredentialsProps) {
  const line = (label: string, value: string) => ({
    label,
    value: <CopyableText text={value} what={label.toLowerCase()} />,
  })
  return (
    <NewSecret
      title="Copy the password now"
      advice="It is not shown again. If you lose it, set a new password."
      label="Account"
      rows={[
        ...(database ? [line('Database', database)] : []),
        line('User', user),
        line('Password', password),
      ]}
      onDone={onDone}
    />
  )
}
