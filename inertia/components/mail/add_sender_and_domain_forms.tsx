import { Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'

export function AddSenderForm({ onDone }: { onDone: () => void }) {
  const send = (fields: FormData) => ({ email: fields.get('email') })
  const form = useApiForm({ to: '/email/store', send, onDone })
  return (
    <FormFrame form={form} submit="Add address" nothing="Not added" onCancel={onDone}>
      <Text>
        We email a verification link to this address. Addresses at your own active domain need no
        link.
      </Text>
      <TextInput
        label="Email"
        type="email"
        placeholder="orders@example.com"
        required
        maxLength={254}
        data-autofocus
        {...form.field('email')}
      />
    </FormFrame>
  )
}

export function AddDomainForm({ onDone }: { onDone: () => void }) {
  const send = (fields: FormData) => ({ domain: fields.get('domain') })
  const form = useApiForm({ to: '/email/domain/store', send, onDone })
  return (
    <FormFrame form={form} submit="Add domain" nothing="Not added" onCancel={onDone}>
      <Text>
        Berth signs email from your own domain with DKIM. After you add the domain, publish the DNS
        records that its page shows. Then every address at the domain can send.
      </Text>
      <TextInput
        label="Domain"
        placeholder="example.com"
        required
        maxLength={253}
        data-autofocus
        {...form.field('domain')}
      />
    </FormFrame>
  )
}
