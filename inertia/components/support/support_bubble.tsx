import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { usePage } from '@inertiajs/react'
import IconMessages from '@tabler/icons-react/dist/esm/icons/IconMessages.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { PageErrorBoundary } from '~/components/page_error_boundary'
import type { SharedProps } from '~/types'
import { contextLinkFor } from './message_content'
import { useSendUnsentMessages } from './use_send_unsent_messages'
import { useUnreadCount } from './use_unread_count'
import styles from './support.module.css'

/** The chat's code is loaded when the chat is first opened. */
const Chat = lazy(async () => ({ default: (await import('./chat')).Chat }))

const OPEN_STORAGE_KEY = 'support-open'

/** A draft stays when the chat is closed. */
export function SupportBubble({ me }: { me: number }) {
  const { url } = usePage<SharedProps>()
  const unread = useUnreadCount('/live-support')
  const [open, setOpen] = useState(false)
  const failed = useSendUnsentMessages('', me, open)
  const button = useRef<HTMLButtonElement>(null)

  const show = (shown: boolean) => {
    setOpen(shown)
    try {
      window.sessionStorage.setItem(OPEN_STORAGE_KEY, shown ? 'yes' : '')
    } catch {
      // If session storage is forbidden, the chat is closed after a reload.
    }
  }
  const wasOpen = () => {
    try {
      return window.sessionStorage.getItem(OPEN_STORAGE_KEY) === 'yes'
    } catch {
      return false
    }
  }
  // Opens the chat if a link in an email requests it (`?support`), or if it was open before a reload.
  const comeBack = useEffectEvent(() => {
    const isRequested = new URLSearchParams(window.location.search).has('support')
    if (isRequested || wasOpen()) setOpen(true)
  })
  useEffect(() => {
    const timer = window.setTimeout(() => comeBack(), 0)
    return () => window.clearTimeout(timer)
  }, [])

  const labels = [unread && `${unread} unread`, failed && `${failed} not sent`].filter(Boolean)
  return (
    <>
      {open && (
        <section
          className={styles.panel}
          data-chat-panel
          role="dialog"
          aria-label="Live support"
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || event.defaultPrevented) return
            show(false)
            button.current?.focus()
          }}
        >
          <header className={styles.head}>
            <h2>Live support</h2>
            <button
              type="button"
              className={styles.tool}
              aria-label="Close live support"
              onClick={() => show(false)}
            >
              <IconX size={18} stroke={1.75} aria-hidden />
            </button>
          </header>
          <PageErrorBoundary>
            <Suspense fallback={<div className={styles.bones} aria-busy />}>
              <Chat prefix="" me={me} client={me} about={contextLinkFor(url)} />
            </Suspense>
          </PageErrorBoundary>
        </section>
      )}
      <button
        type="button"
        ref={button}
        className={styles.launch}
        aria-expanded={open}
        aria-label={['Live support', ...(open ? [] : labels)].join(', ')}
        title="Live support"
        onClick={() => show(!open)}
      >
        <IconMessages size={20} stroke={1.75} aria-hidden />
        <span className={styles.word} aria-hidden>
          Live support
        </span>
        {labels.length > 0 && !open && (
          <span className={styles.badge} aria-hidden>
            {failed > 0 ? '!' : unread > 99 ? '99+' : unread}
          </span>
        )}
      </button>
    </>
  )
}
