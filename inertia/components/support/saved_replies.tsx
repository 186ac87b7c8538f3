import { useState } from 'react'
import { Button, Group, Textarea, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { useApiCall } from '~/components/use_api_call'
import type { LiveSupportPage } from './types'
import { useStoredText } from './use_stored_text'
import styles from './support.module.css'

interface SavedRepliesProps {
  me: number
  replies: LiveSupportPage['replies']
  onChoose: (text: string) => void
}

export function SavedReplies({ me, replies, onChoose }: SavedRepliesProps) {
  const [opened, open] = useState(false)
  const [title, setTitle] = useStoredText(`support-reply-title:${me}`)
  const [text, setText] = useStoredText(`support-reply:${me}`)
  const { run, busy } = useApiCall()
  const save = async () => {
    const { success } = await run('/admin/live-support/reply/store', { title, text })
    if (!success) return
    setTitle('')
    setText('')
  }
  return (
    <>
      <Button size="xs" variant="subtle" onClick={() => open(true)}>
        Saved replies
      </Button>
      <Dialog opened={opened} title="Saved replies" onClose={() => open(false)}>
        {replies.length === 0 && <p className={styles.dim}>No saved replies yet.</p>}
        <ul className={styles.replies}>
          {replies.map((reply) => (
            <li key={reply.id}>
              <button
                type="button"
                onClick={() => {
                  onChoose(reply.text)
                  open(false)
                }}
              >
                <b>{reply.title}</b>
                <span className={styles.last} title={reply.text}>
                  {reply.text}
                </span>
              </button>
              <Button
                size="xs"
                variant="subtle"
                color="red"
                aria-label={`Remove ${reply.title}`}
                onClick={() => void run('/admin/live-support/reply/delete', { id: reply.id })}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
        <TextInput
          label="Title"
          maxLength={80}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Textarea
          label="Reply"
          autosize
          minRows={3}
          mt="xs"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="sm">
          <Button
            disabled={!title.trim() || !text.trim() || busy !== null}
            onClick={() => void save()}
          >
            Save reply
          </Button>
        </Group>
      </Dialog>
    </>
  )
}
