import { useEffect, useState } from 'react'
import { Alert } from '@mantine/core'
import type { AreaPrefix } from '~/area_prefix'
import { call } from '~/api_call'
import { DescriptionList } from '~/components/description_list'
import { Link } from '~/components/link'
import type { ProjectView, WordpressState } from './types'
import styles from './project.module.css'

interface WordpressStatusProps {
  project: ProjectView
  prefix: AreaPrefix
  settingUp: boolean
}

export function WordpressStatus({ project, prefix, settingUp }: WordpressStatusProps) {
  const { id, barred, addresses } = project
  const address = addresses[0]?.url
  const [state, setState] = useState<WordpressState | string | null>(null)
  const asks = !settingUp && !barred
  useEffect(() => {
    if (!asks) return
    let left = false
    void call<WordpressState>(`${prefix}/project/${id}/wordpress`, { toasts: 'none' }).then(
      ({ success, data, message }) => {
        if (!left) setState(success && data ? data : message)
      }
    )
    return () => {
      left = true
    }
  }, [asks, prefix, id, address])
  if (!asks) return null

  const problem = typeof state === 'string' ? state : state?.problem
  if (problem) {
    return (
      <Alert color="yellow" role="status" title="WordPress is not working" mb="md">
        <pre className={styles.words}>{problem}</pre>
      </Alert>
    )
  }
  const installed = typeof state === 'string' ? null : state
  return (
    <section className={styles.wordpress} aria-label="WordPress" aria-busy={!installed}>
      <DescriptionList
        label="WordPress"
        rows={[
          { label: 'WordPress', value: installed ? `Version ${installed.version}` : 'Loading…' },
          {
            label: 'Administration',
            value: installed?.admin_url ? (
              <a href={installed.admin_url} target="_blank" rel="noreferrer" className="mono">
                {installed.admin_url}
              </a>
            ) : (
              installed && (
                <Link href={`${prefix}/project/${id}?tab=virtual-host`}>
                  Set up the virtual host first
                </Link>
              )
            ),
          },
          { label: 'Updates', value: installed && wordpressUpdateLabel(installed) },
        ]}
      />
    </section>
  )
}

function wordpressUpdateLabel({ update, newest, plugins, themes }: WordpressState): string {
  if (update === 'unknown') {
    return 'Could not check for updates: this server cannot reach wordpress.org. WordPress retries automatically.'
  }
  const parts = [
    newest ? `WordPress ${newest}` : '',
    plugins ? `${plugins} ${plugins === 1 ? 'plugin' : 'plugins'}` : '',
    themes ? `${themes} ${themes === 1 ? 'theme' : 'themes'}` : '',
  ].filter(Boolean)
  if (!parts.length) return 'Up to date'
  return `Available: ${parts.join(', ')}. Install them in the WordPress administration, under Dashboard > Updates.`
}
