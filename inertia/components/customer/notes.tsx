import { useForm } from '@inertiajs/react'
import { Button, Text, Textarea } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { field } from '@ui/form_field'
import type { CustomerPage } from './types'
import styles from './notes.module.css'

/** What staff tell each other about a customer, who never sees it. */
export function Notes({ id, notes }: { id: number; notes: CustomerPage['notes'] }) {
  const form = useForm({ id, text: '' })
  return (
    <div className={styles.notes}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          form.post('/admin/customer/note', {
            preserveScroll: true,
            onSuccess: () => form.reset('text'),
          })
        }}
      >
        <Textarea
          {...field('text', form.errors)}
          label="Add a note"
          description="Only staff read it."
          autosize
          minRows={2}
          maxLength={5000}
          value={form.data.text}
          onChange={(event) => form.setData('text', event.currentTarget.value)}
        />
        <Button type="submit" variant="default" mt="xs" loading={form.processing}>
          Keep note
        </Button>
      </form>
      {notes.length === 0 && <Text c="dimmed">Nobody noted anything yet.</Text>}
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
