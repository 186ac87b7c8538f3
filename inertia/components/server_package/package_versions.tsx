import { DateText } from '@ui/date_text'
import type { PackageRow, VersionView } from './types'
import styles from './package_versions.module.css'

function instanceCountLabel(instances: number) {
  return `${instances} ${instances === 1 ? 'instance' : 'instances'}`
}

/** Returns a label such as "2 instances keep version 1.", or null if no version, not even the latest, has instances. */
export function versionUsersLabel({ versions }: Pick<PackageRow, 'versions'>) {
  const text = versions
    .filter(({ instances }) => instances > 0)
    .map(
      ({ number, instances }) =>
        `${instanceCountLabel(instances)} ${instances === 1 ? 'keeps' : 'keep'} version ${number}`
    )
  return text.length ? `${new Intl.ListFormat('en').format(text)}.` : null
}

export function PackageVersions({ versions }: { versions: VersionView[] }) {
  return (
    <ol className={styles.list} reversed>
      {versions.map(({ number, at, by, instances, changes }, index) => (
        <li key={number} aria-label={`Version ${number}`}>
          <div className={styles.head}>
            <strong>Version {number}</strong>
            <span>
              {index === 0 ? 'latest, since ' : ''}
              <DateText value={at} shape="moment" />
              {by && ` by ${by}`}
            </span>
            <span>{instanceCountLabel(instances)}</span>
          </div>
          {changes && (
            <dl className={styles.changes}>
              {changes.map(({ label, before, after }) => (
                <div key={label} style={{ display: 'contents' }}>
                  <dt>{label}</dt>
                  <dd>
                    <del>{before ?? 'none'}</del> → <ins>{after ?? 'none'}</ins>
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </li>
      ))}
    </ol>
  )
}
