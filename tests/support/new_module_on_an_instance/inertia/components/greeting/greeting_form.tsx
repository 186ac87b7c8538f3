import { NativeSelect, Textarea } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'

interface GreetingFormProps {
  /** Greeting to edit. Undefined for a new one. */
  greeting?: { id: number; text: string }
  instances: { id: number; name: string }[]
  onDone: () => void
}

export function GreetingForm({ greeting, instances, onDone }: GreetingFormProps) {
  const form = useApiForm({
    to: greeting ? '/greeting/update' : '/greeting/store',
    send: (fields) => ({
      id: greeting?.id,
      server_instance_id: fields.get('server_instance_id'),
      text: fields.get('text'),
    }),
    onDone,
  })
  return (
    <FormFrame form={form} submit={greeting ? 'Save' : 'Add greeting'} onCancel={onDone}>
      {!greeting && (
        <NativeSelect
          label="Server instance"
          data={instances.map(({ id, name }) => ({ value: String(id), label: name }))}
          {...form.field('server_instance_id')}
        />
      )}
      <Textarea
        label="Greeting"
        required
        data-autofocus
        maxLength={500}
        defaultValue={greeting?.text}
        {...form.field('text')}
      />
    </FormFrame>
  )
}
