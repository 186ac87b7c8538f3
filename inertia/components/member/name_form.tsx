import { TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { usePageForm } from '~/components/form/use_page_form'

/** What the account is called, for members and on bills. */
export function NameForm({ name, reason }: { name: string; reason: string | null }) {
  const form = usePageForm({ name }, { to: '/profile/members/rename' })
  return (
    <FormFrame form={form} submit="Save name" buttons="left" reason={reason}>
      <TextInput label="Name" maxLength={100} readOnly={reason !== null} {...form.text('name')} />
    </FormFrame>
  )
}
