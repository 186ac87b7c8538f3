import { CopyableText } from '@ui/copyable_text'
import { NewSecret } from '~/components/new_secret'

export interface KeyWithSecret {
  access_key_id: string
  secret_key: string
}

interface KeyOnceProps {
  newKey: KeyWithSecret
  isStored?: boolean
  onDone: () => void
}

export function NewKeySecret({ newKey, isStored = false, onDone }: KeyOnceProps) {
  const line = (label: string, value: string, copied: string) => ({
    label,
    value: <CopyableText text={value} copied={copied} what={label.toLowerCase()} />,
  })
  return (
    <NewSecret
      advice={
        isStored
          ? 'Use this secret key in your programs. You can also copy it later on this page.'
          : 'Store the secret key where your program can read it. It is not shown again. If you lose it, create a new access key.'
      }
      isStored={isStored}
      label="Key"
      rows={[
        line('Access Key Id', newKey.access_key_id, 'Access Key Id copied'),
        line('Secret Key', newKey.secret_key, 'Secret Key Copied!'),
      ]}
      onDone={onDone}
    />
  )
}
