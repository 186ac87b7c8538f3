import { useRef, useState, type ReactNode } from 'react'
import { Checkbox, Tooltip } from '@mantine/core'
import IconFile from '@tabler/icons-react/dist/esm/icons/IconFile.mjs'
import IconPhoto from '@tabler/icons-react/dist/esm/icons/IconPhoto.mjs'
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs'
import type { AreaPrefix } from '~/area_prefix'
import { SelectedAttachments, useSelectedFiles } from './selected_attachments'
import type { ContextLink } from './message_content'
import { Messages } from './messages'
import { DOCUMENT_EXTENSIONS } from './upload_attachments'
import { useConversation } from './use_conversation'
import styles from './support.module.css'

interface ChatProps {
  prefix: AreaPrefix
  me: number
  client: number
  name?: string
  /** Link to the record that the page shows, which customers can add to a message. */
  about?: ContextLink | null
  /** Sequence number of a message to scroll to, for search results. */
  at?: number
  /** Additional controls for staff. `insert` adds text to the draft. */
  tools?: (insert: (text: string) => void) => ReactNode
}

export function Chat({ prefix, me, client, name, about, at, tools }: ChatProps) {
  const { store, state } = useConversation({ prefix, me, client })
  const selected = useSelectedFiles({ prefix, me, client })
  const [hasContext, setHasContext] = useState(false)
  /** Sequence number of the newest message at the time when the person began to type. */
  const [began, setBegan] = useState<number | null>(null)
  const { draft, attach, typing, messages } = state
  const page = about && hasContext ? about.page : null
  const own = prefix ? 'staff' : 'client'
  const came = messages.filter(
    ({ sequence, sender_id: id, side }) =>
      began !== null && sequence > began && id !== me && side === 'staff'
  )
  const meanwhile = own === 'staff' ? came.at(-1) : undefined

  const write = (text: string) => {
    if (!text) setBegan(null)
    else if (began === null) setBegan(messages.at(-1)?.sequence ?? 0)
    store.write(text)
  }
  const send = () => {
    if (!/\S/u.test(draft)) return
    store.send({ text: draft, page })
    setBegan(null)
  }
  const typingText =
    typing &&
    (typing.side === 'client' ? `${name ?? 'Client'} is typing...` : 'Support is typing...')

  return (
    <div className={styles.chat}>
      <Messages store={store} state={state} prefix={prefix} me={me} at={at} typing={typingText} />
      {selected.chosen.length > 0 ? (
        <SelectedAttachments
          prefix={prefix}
          selected={selected}
          onSend={(sent) => store.send({ ...sent, page })}
        />
      ) : (
        <form
          className={styles.composer}
          method="post"
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          {about && (
            <Checkbox
              size="xs"
              classNames={{ input: styles.check }}
              label={`About this ${about.noun}`}
              checked={hasContext}
              onChange={(event) => setHasContext(event.currentTarget.checked)}
            />
          )}
          {meanwhile && (
            <p className={styles.meanwhile} role="status">
              {`${meanwhile.sender_name} replied while you were typing.`}
            </p>
          )}
          <div className={styles.row}>
            <textarea
              className={styles.input}
              // People open the chat to write, so the field gets the focus.
              autoFocus
              aria-label="Message"
              placeholder="Write a message"
              rows={Math.min(6, draft.split('\n').length)}
              maxLength={10_000}
              value={draft}
              onChange={(event) => write(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                send()
              }}
            />
            <button
              type="submit"
              className={styles.send}
              aria-label="Send"
              disabled={!/\S/u.test(draft)}
            >
              <IconSend size={18} stroke={1.75} aria-hidden />
            </button>
          </div>
          <div className={`${styles.row} ${styles.wrap}`}>
            <FilePicker
              label="Attach photos"
              accept="image/*"
              barred={attach}
              icon={IconPhoto}
              onPick={(files) => selected.add('photo', files)}
            />
            <FilePicker
              label="Attach documents"
              accept={DOCUMENT_EXTENSIONS}
              barred={attach}
              icon={IconFile}
              onPick={(files) => selected.add('doc', files)}
            />
            {tools?.((text) => write(draft ? `${draft}\n${text}` : text))}
            <span className={styles.hint}>Press Enter to send, Shift+Enter for a new line</span>
          </div>
        </form>
      )}
    </div>
  )
}

interface FilePickerProps {
  label: string
  accept: string
  barred: string | null
  icon: typeof IconFile
  onPick: (files: File[]) => void
}

function FilePicker({ label, accept, barred, icon: Icon, onPick }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Tooltip label={barred ?? label} events={{ hover: true, focus: true, touch: true }}>
        <button
          type="button"
          className={styles.tool}
          aria-label={label}
          aria-disabled={barred ? true : undefined}
          aria-description={barred ?? undefined}
          onClick={() => !barred && input.current?.click()}
        >
          <Icon size={18} stroke={1.75} aria-hidden />
        </button>
      </Tooltip>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          onPick([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
    </>
  )
}
