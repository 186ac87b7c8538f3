import { Text, Textarea } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { FormFrame } from '@ui/form_frame'
import { useInertiaForm } from '~/components/form/use_inertia_form'
import type { CustomerPage } from './types'
import styles from './notes.module.css'

export function Notes({ id, notes }: { id: number; notes: CustomerPage['notes'] }) {
  const form = useInertiaForm(
    { text: '' },
    { to: '/admin/customer/note', extraFields: { id }, onDone: () => form.reset() }
  )
  return (
    <div className={styles.notes}>
      <FormFrame form={form} submit="Save note" buttons="left" quiet>
        <Textarea
          label="Add a note"
          description="Only staff can read this note."
          autosize
          minRows={2}
          maxLength={5000}
          {...form.text('text')}
        />
      </FormFrame>
      {notes.length === 0 && <Text c="dimmed">No notes yet.</Text>}
      <ul>
        {notes.map(({ id: key, author, text, at }) => (
          <li key={key}>
            <p>{text}</p>
            <small>
              {author}, <DateText value={at} shape="staff" />
            </small>
          </li>
        ))}
      </ul>
    </div>
  )
}
