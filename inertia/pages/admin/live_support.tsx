import { Head, usePage } from '@inertiajs/react'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'
import { Chat } from '~/components/support/chat'
import { ClientList } from '~/components/support/client_list'
import { ClientDetailsPanel } from '~/components/support/client_details_panel'
import { ConversationViewers } from '~/components/support/conversation_viewers'
import { SavedReplies } from '~/components/support/saved_replies'
import type { LiveSupportPage } from '~/components/support/types'
import { pushUrl } from '~/client_navigation'
import type { SharedProps } from '~/types'
import styles from '~/components/support/support.module.css'

const PAGE_PATH = '/admin/live-support'

function selectClient(client: LiveSupportPage['client'], at?: number) {
  const query = client && `?client_id=${client.client_id}${at ? `&at=${at}` : ''}`
  pushUrl(`${PAGE_PATH}${query ?? ''}`, { client })
}

export default function LiveSupport({ client, staff, replies, clientStatus }: LiveSupportPage) {
  const { props, url } = usePage<SharedProps>()
  const me = Number(props.user?.id)
  const at = Number(new URL(url, 'http://desk').searchParams.get('at')) || undefined
  return (
    <>
      <Head title="Live Support" />
      <PageHeader title="Live Support" />
      <div className={styles.desk} data-chosen={client ? true : undefined}>
        <ClientList
          selected={client?.client_id ?? null}
          onSelect={({ client_id, name }, match) => selectClient({ client_id, name }, match)}
        />
        {client ? (
          <>
            <section className={styles.talk} aria-label={`Conversation with ${client.name}`}>
              <header className={styles.head}>
                <button type="button" className={styles.back} onClick={() => selectClient(null)}>
                  Clients
                </button>
                <h2>{client.name}</h2>
                <ConversationViewers
                  key={client.client_id}
                  client={client.client_id}
                  me={me}
                  staff={staff}
                />
              </header>
              <Chat
                key={`${client.client_id}-${at ?? ''}`}
                prefix="/admin"
                me={me}
                client={client.client_id}
                name={client.name}
                at={at}
                tools={(insert) => <SavedReplies me={me} replies={replies} onChoose={insert} />}
              />
            </section>
            <ClientDetailsPanel
              key={client.client_id}
              client={client.client_id}
              me={me}
              staff={staff}
              statuses={clientStatus}
            />
          </>
        ) : (
          <div className={`${styles.talk} ${styles.none}`}>
            <EmptyState
              title="Choose a client"
              hint="The conversation appears here. New messages arrive automatically."
            />
          </div>
        )}
      </div>
    </>
  )
}
