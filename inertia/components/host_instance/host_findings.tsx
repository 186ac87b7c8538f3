import { DateText } from '@ui/date_text'
import { Link } from '~/components/link'
import type { HostDiscrepancyView } from './types'
import styles from './host_findings.module.css'

/** Lists differences between a host's containers and Berth's records. Berth deletes nothing automatically. */
export function HostFindings({ findings }: { findings: HostDiscrepancyView[] }) {
  if (!findings.length) return null
  return (
    <section className={styles.findings} aria-label="Findings">
      <h2>Needs attention</h2>
      <ul>
        {findings.map(
          ({ id, words, system_id: systemId, server_instance_id: server, found_at }) => (
            <li key={id}>
              <span>
                {words} <span className="mono">{systemId}</span>
              </span>
              <span className={styles.aside}>
                {server !== null && (
                  <Link href={`/admin/server-instance/${server}`}>View instance</Link>
                )}
                <DateText value={found_at} shape="staff" />
              </span>
            </li>
          )
        )}
      </ul>
    </section>
  )
}
