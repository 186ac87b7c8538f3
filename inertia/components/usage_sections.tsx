import type { ReactNode } from 'react'
import { DetailLine } from '@ui/detail_line'
import { EmptyState } from '@ui/empty_state'
import type { GetRoutePath } from '#core/page_addresses'
import { ContentSection } from '~/components/content_section'
import { useFetch } from '~/components/use_fetch'
import styles from '~/components/vault/vault.module.css'

interface UsageSectionsProps<History> {
  href: GetRoutePath
  /** Null if the service does not respond. */
  month: { label: string; value: ReactNode }[] | null
  billingNote: string
  charts: (usage: History) => ReactNode
  children?: ReactNode
}

export function UsageSections<History>(props: UsageSectionsProps<History>) {
  const { href, month, billingNote, charts, children } = props
  const { data, problem } = useFetch<{ usage: History }>(href)
  return (
    <>
      <ContentSection title="This month">
        {month && <DetailLine items={month} />}
        <p className={styles.calm}>{billingNote}</p>
        {children}
      </ContentSection>
      <ContentSection title="Daily usage">
        {problem ? (
          <EmptyState title="The usage could not be loaded" hint={problem} />
        ) : data ? (
          charts(data.usage)
        ) : (
          <div className={styles.bones} aria-busy />
        )}
      </ContentSection>
    </>
  )
}
