import { Head, usePage } from '@inertiajs/react'
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs'
import { ResourceOverview } from '~/components/dashboard/resource_overview'
import { LinkButton } from '~/components/link_button'
import { UntypedLink } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { formatBytes } from '~/components/metrics/format_units'
import type { CustomerDashboardPage } from '#identity/transformers/page_props'
import type { WithSharedProps } from '~/types'
import { PageHeader } from '@ui/page_header'
import styles from './dashboard.module.css'

const WATCHED_TOPICS = ['server_instance', 'project', 'vault', 'sender', 'bill', 'database']

export default function Dashboard({ counts, steps, overview }: CustomerDashboardPage) {
  const { user } = usePage<WithSharedProps>().props
  useLiveProps(WATCHED_TOPICS, ['counts', 'steps', 'overview'])
  return (
    <>
      <Head title="Dashboard" />
      <PageHeader title="Dashboard" hint={user ? 'Overview' : undefined} />
      <ul className={styles.counts}>
        {counts.map(({ label, count, href, bytes }) => (
          <li key={href}>
            <UntypedLink href={href}>
              <span className={styles.label}>{label}</span>
              <span className={styles.number}>{count}</span>
              {bytes !== null && count > 0 && (
                <span className={styles.label}>{formatBytes(bytes)} total</span>
              )}
            </UntypedLink>
          </li>
        ))}
      </ul>
      {steps.length > 0 && <FirstSteps steps={steps} />}
      <ResourceOverview parts={overview} />
    </>
  )
}

/** Only the first open step has a button, because later steps depend on it. */
function FirstSteps({ steps }: Pick<CustomerDashboardPage, 'steps'>) {
  const next = steps.find(({ done }) => !done)
  return (
    <section aria-labelledby="first-steps" className={styles.steps}>
      <h2 id="first-steps">First steps</h2>
      <ol>
        {steps.map((step, index) => (
          <li key={step.label} data-done={step.done || undefined}>
            <span className={styles.tick} aria-hidden>
              {step.done ? <IconCheck size={14} stroke={2.5} /> : index + 1}
            </span>
            <div className={styles.step}>
              <strong>
                {step.label}
                {step.done && <span className="visually-hidden"> (done)</span>}
              </strong>
              <p>{step.hint}</p>
            </div>
            {step === next && <LinkButton href={step.href}>{step.action}</LinkButton>}
          </li>
        ))}
      </ol>
    </section>
  )
}
