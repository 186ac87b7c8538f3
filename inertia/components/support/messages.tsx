import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { statusLabel } from '@ui/status_label'
import { formatDate, DateText } from '@ui/date_text'
import { useRegion } from '@ui/region'
import type { AreaPrefix } from '~/area_prefix'
import { UntypedLink } from '~/components/link'
import { contextLinkFor, parseMessageFiles, decodeMessageText } from './message_content'
import type { ConversationState, ConversationStore, UnsentMessage } from './conversation_store'
import { AttachmentViewer } from './attachment_viewer'
import type { MessageView } from './types'
import styles from './support.module.css'

interface MessagesProps {
  store: ConversationStore
  state: ConversationState
  prefix: AreaPrefix
  me: number
  /** Text such as `Support is typing...`, or null. */
  typing: string | null
  at?: number
}

/** If the view is closer to the end than this, it scrolls to new messages. */
const FOLLOW_DISTANCE_PX = 80

export function Messages({ store, state, prefix, me, typing, at }: MessagesProps) {
  const { messages, pending, read, problem, loaded } = state
  const [opened, open] = useState<{ path: string } | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const own = prefix ? 'staff' : 'client'
  const newest = messages.at(-1)?.sequence ?? 0

  const follow = useCallback(() => {
    const element = box.current
    if (element && follows.current) element.scrollTop = element.scrollHeight
  }, [])
  useLayoutEffect(follow, [follow, newest, pending, problem, typing])
  useEffect(() => {
    const observer = new ResizeObserver(follow)
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [follow])

  useEffect(() => {
    const see = () => {
      if (!document.hidden && follows.current) store.markRead()
    }
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [store, newest])

  const isThere = messages.some(({ sequence }) => sequence === at)
  useEffect(() => {
    if (at && loaded) void store.loadUntil(at)
  }, [store, at, loaded])
  useEffect(() => {
    if (!at || !isThere) return
    follows.current = false
    box.current?.querySelector(`[data-sequence="${at}"]`)?.scrollIntoView({ block: 'center' })
  }, [at, isThere])

  const files = messages.flatMap((message) => parseMessageFiles(message))
  const lastOwn = messages.findLast(({ side }) => side === own)
  const otherRead = own === 'staff' ? read.client : read.staff

  return (
    <>
      <div
        className={styles.messages}
        ref={box}
        role="log"
        aria-label="Messages"
        tabIndex={0}
        onLoadCapture={follow}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE_PX
          if (follows.current) store.markRead()
        }}
      >
        {(messages[0]?.sequence ?? 1) > 1 && (
          <button type="button" className={styles.earlier} onClick={() => void store.earlier()}>
            Show earlier messages
          </button>
        )}
        {loaded && messages.length === 0 && pending.length === 0 && (
          <p className={styles.calm}>
            {own === 'client'
              ? 'Write to us. Our staff reply here, and by email when you are away.'
              : 'No messages yet.'}
          </p>
        )}
        {messages.map((message, index) => (
          <DaySeparator key={message.id} message={message} before={messages[index - 1]}>
            <MessageBubble
              message={message}
              prefix={prefix}
              isOwn={message.side === own}
              // Customers see which staff member answered. Staff see the names of other staff members.
              name={
                message.side === 'staff' && message.sender_id !== me ? message.sender_name : null
              }
              marked={message.sequence === at}
              onOpen={(path) => open({ path })}
            />
            {message === lastOwn && otherRead >= message.sequence && (
              <small className={styles.read}>Read</small>
            )}
          </DaySeparator>
        ))}
        {pending.map((one) => (
          <PendingMessage key={one.key} pending={one} store={store} />
        ))}
        {problem && (
          <p className={styles.problem} role="alert">
            {problem}{' '}
            <button type="button" onClick={() => void store.fetchNewMessages()}>
              Retry
            </button>
          </p>
        )}
        <p className={styles.typing} role="status">
          {typing}
        </p>
      </div>
      {opened && (
        <AttachmentViewer
          files={files}
          at={opened.path}
          prefix={prefix}
          onClose={() => open(null)}
        />
      )}
    </>
  )
}

const dayOf = ({ created_at: at }: MessageView, zone: string) => formatDate(at, 'date', zone)

function DaySeparator({
  message,
  before,
  children,
}: {
  message: MessageView
  before: MessageView | undefined
  children: React.ReactNode
}) {
  const { timeZone } = useRegion()
  const isFirst = !before || dayOf(before, timeZone) !== dayOf(message, timeZone)
  return (
    <>
      {isFirst && (
        <p className={styles.day}>
          <DateText value={message.created_at} />
        </p>
      )}
      {children}
    </>
  )
}

interface MessageBubbleProps {
  message: MessageView
  prefix: AreaPrefix
  isOwn: boolean
  name: string | null
  marked: boolean
  onOpen: (path: string) => void
}

function MessageBubble({ message, prefix, isOwn, name, marked, onOpen }: MessageBubbleProps) {
  const contextLink = message.page ? contextLinkFor(message.page) : null
  return (
    <article
      className={styles.bubble}
      data-own={isOwn || undefined}
      data-marked={marked || undefined}
      data-sequence={message.sequence}
    >
      {name && <strong className={styles.name}>{name}</strong>}
      {contextLink && (
        <small className={styles.about}>
          <UntypedLink
            href={prefix ? (contextLink.staffHref ?? '/admin/vault/list') : contextLink.page}
          >
            {`About ${contextLink.noun} ${message.about?.name ?? contextLink.id}`}
          </UntypedLink>
          {message.about && ` · Status when sent: ${statusLabel(message.about.status)}`}
        </small>
      )}
      <MessageFiles files={parseMessageFiles(message)} prefix={prefix} onOpen={onOpen} />
      {message.content && <p className={styles.text}>{decodeMessageText(message.content)}</p>}
      <small className={styles.time}>
        <DateText value={message.created_at} shape="clock" />
      </small>
    </article>
  )
}

function MessageFiles({
  files,
  prefix,
  onOpen,
}: {
  files: ReturnType<typeof parseMessageFiles>
  prefix: AreaPrefix
  onOpen: (path: string) => void
}) {
  if (files.length === 0) return null
  return (
    <div className={styles.files}>
      {files.map(({ path, name, extension, isPicture }) => (
        <button
          key={path}
          type="button"
          className={styles.file}
          aria-label={`Open ${name}`}
          title={name}
          onClick={() => onOpen(path)}
        >
          {isPicture ? (
            <img src={`${prefix}/${path}`} alt={name} loading="lazy" />
          ) : (
            <>
              <b data-extension={extension.toUpperCase()} />
              <span>{name}</span>
            </>
          )}
        </button>
      ))}
    </div>
  )
}

function PendingMessage({ pending, store }: { pending: UnsentMessage; store: ConversationStore }) {
  const { key, text, names, state, problem } = pending
  return (
    <article className={styles.bubble} data-own data-pending={state}>
      <p className={styles.text}>{text || names.join(', ')}</p>
      {state === 'sending' ? (
        <small className={styles.time}>Sending…</small>
      ) : (
        <small className={styles.failed} role="alert">
          Not sent. {problem}{' '}
          <button type="button" onClick={() => store.retry(key)}>
            Retry
          </button>{' '}
          <button type="button" onClick={() => store.discard(key)}>
            Discard
          </button>
        </small>
      )}
    </article>
  )
}
