import { useForm } from '@inertiajs/react'
import { TextInput } from '@mantine/core'
import { DisabledReason } from '@ui/disabled_reason'
import { field } from '@ui/form_field'
import styles from '~/components/profile/section.module.css'

/** What the account is called, for members and on bills. */
export function NameForm({ name, reason }: { name: string; reason: string | null }) {
  const form = useForm({ name })
  const save = () => form.post('/profile/members/rename', { preserveScroll: true })
  return (
    <form
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!reason) save()
      }}
    >
      <TextInput
        {...field('name', form.errors)}
        label="Name"
        maxLength={100}
        readOnly={reason !== null}
        value={form.data.name}
        onChange={(event) => form.setData('name', event.currentTarget.value)}
      />
      <DisabledReason reason={reason} loading={form.processing} onClick={save}>
        Save name
      </DisabledReason>
    </form>
  )
}
