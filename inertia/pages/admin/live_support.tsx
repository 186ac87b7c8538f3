import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'
import { Chat } from '~/components/support/chat'
import { ClientList } from '~/components/support/client_list'
import { ClientSide } from '~/components/support/client_side'
import { Looking } from '~/components/support/looking'
import { Replies } from '~/components/support/replies'
import type { LiveSupportPage } from '~/components/support/types'
import type { SharedProps } from '~/types'
import styles from '~/components/support/support.module.css'

/** All conversations on the left, the chosen one on the right, and beside it who the customer is. */
export default function LiveSupport({ client, staff, replies, clientStatus }: LiveSupportPage) {
  const me = Number(usePage<SharedProps>().props.user?.id)
  const [chosen, choose] = useState<{ client_id: number; name: string; at?: number } | null>(client)
  return (
    <>
      <Head title="Live Support" />
      <PageHeader title="Live Support" />
      <div className={styles.desk} data-chosen={chosen ? true : undefined}>
        <ClientList
          selected={chosen?.client_id ?? null}
          onSelect={({ client_id, name }, at) => choose({ client_id, name, at })}
        />
        {chosen ? (
          <>
            <section className={styles.talk} aria-label={`Conversation with ${chosen.name}`}>
              <header className={styles.head}>
                <button type="button" className={styles.back} onClick={() => choose(null)}>
                  Clients
                </button>
                <h2>{chosen.name}</h2>
                <Looking key={chosen.client_id} client={chosen.client_id} me={me} staff={staff} />
              </header>
              <Chat
                key={`${chosen.client_id}-${chosen.at ?? ''}`}
                prefix="/admin"
                me={me}
                client={chosen.client_id}
                name={chosen.name}
                at={chosen.at}
                tools={(insert) => <Replies replies={replies} onChoose={insert} />}
              />
            </section>
            <ClientSide
              key={chosen.client_id}
              client={chosen.client_id}
              staff={staff}
              statuses={clientStatus}
            />
          </>
        ) : (
          <div className={styles.talk}>
            <EmptyState title="Choose a client" hint="Messages appear here as they are written." />
          </div>
        )}
      </div>
    </>
  )
}
