import { TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useInertiaForm } from '~/components/form/use_inertia_form'

export function AccountNameForm({ name, reason }: { name: string; reason: string | null }) {
  const form = useInertiaForm({ name }, { to: '/profile/members/rename' })
  return (
    <FormFrame form={form} submit="Save name" buttons="left" reason={reason}>
      <TextInput label="Name" maxLength={100} readOnly={reason !== null} {...form.text('name')} />
    </FormFrame>
  )
}
