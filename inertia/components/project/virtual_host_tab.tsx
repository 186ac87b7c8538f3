import { useState } from 'react'
import { Alert } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import type { AreaPrefix } from '~/area_prefix'
import { type DescriptionItem, DescriptionList } from '~/components/description_list'
import { ProjectUrls } from './project_urls'
import { DomainCard } from './domain_card'
import { additionalDomainUseLabels } from './additional_domain_fields'
import { phpSettingItems } from './php_fields'
import type { AdditionalDomain, ProjectView, VirtualHost } from './types'
import { virtualHostTypeLabels, urlTypeLabels, VirtualHostForm } from './virtual_host_form'
import styles from './project.module.css'

interface VirtualHostTabProps {
  project: ProjectView
  prefix: AreaPrefix
  barred: string | null
}

/** Shows the virtual host and its last error. The error stays visible when the failed operation is no longer listed. */
export function VirtualHostTab({ project, prefix, barred }: VirtualHostTabProps) {
  const { virtual_host: host, site_file: file, site_error: error, domain } = project
  const { other_domains: others } = project
  const [preview] = project.addresses
  const [editing, setEditing] = useState(false)
  const cardProps = {
    instanceId: project.server_instance_id,
    area: prefix === '/admin' ? ('admin' as const) : ('customer' as const),
    barred,
  }
  const edit = (
    <ButtonWithDisabledReason reason={barred} variant="default" onClick={() => setEditing(true)}>
      {host ? 'Edit Virtual Host' : 'Set Up Virtual Host'}
    </ButtonWithDisabledReason>
  )

  return (
    <section aria-label="Virtual host">
      {error && project.operation?.status !== 'failed' && (
        <Alert color="red" role="alert" title="The last change failed" mb="md">
          <pre className={styles.words}>{error}</pre>
        </Alert>
      )}
      {host ? (
        <>
          <div className={styles.bar}>
            <p>
              {file
                ? 'The web server of the instance serves this project with these settings.'
                : 'No configuration is needed. Visitors reach the app at its own port.'}
            </p>
            {edit}
          </div>
          <DescriptionList
            label="Virtual host"
            rows={[
              { label: 'Address', value: <ProjectUrls addresses={project.addresses} /> },
              { label: 'Type', value: virtualHostTypeLabels[host.type] },
              { label: 'Url Type', value: urlTypeLabels[host.url_type] },
              { label: 'Server Admin Email', value: host.server_admin },
              ...(host.type === 'reverse_proxy'
                ? [
                    {
                      label: 'Reverse Proxy Port',
                      value: <span className="mono">{host.reverse_proxy_port}</span>,
                    },
                  ]
                : [{ label: 'Entry Point', value: host.entry_point || 'The whole project' }]),
              ...(host.subdomain ? domainItems(host) : []),
              ...(host.url_port
                ? [{ label: 'Port', value: <span className="mono">{host.url_port}</span> }]
                : []),
              ...(host.type === 'php' ? phpSettingItems(project) : []),
              {
                label: 'Config file',
                value: file ? <code>{file}</code> : 'Not needed',
              },
            ]}
          />
        </>
      ) : (
        <EmptyState
          title="No virtual host yet"
          hint={
            preview
              ? `Until you set a domain or port, visitors reach the project at ${preview.url}.`
              : 'Set a domain or port for the project.'
          }
          action={edit}
        />
      )}
      {domain && <DomainCard domain={domain} label="Domain" {...cardProps} />}
      {host?.subdomain && !domain && project.status !== 'deleted' && (
        <DeletedDomain name={host.subdomain} />
      )}
      {others.map((other) =>
        other.domain ? (
          <DomainCard
            key={other.name}
            domain={other.domain}
            label={`Additional domain ${other.name}`}
            {...cardProps}
          >
            <p>{describeUse(other.use, domain)}</p>
          </DomainCard>
        ) : (
          <DeletedDomain key={other.name} name={other.name} />
        )
      )}
      <Dialog opened={editing} onClose={() => setEditing(false)} title="Virtual Host Setup">
        {editing && (
          <VirtualHostForm project={project} prefix={prefix} onDone={() => setEditing(false)} />
        )}
      </Dialog>
    </section>
  )
}

function DeletedDomain({ name }: { name: string }) {
  return (
    <Alert color="yellow" mt="md" title={`${name} is not served`}>
      It was deleted from the domain list of the server instance. Save the virtual host to add it
      again.
    </Alert>
  )
}

function domainItems(host: VirtualHost): DescriptionItem[] {
  const others = host.other_names ?? []
  return [
    { label: 'Domain', value: host.subdomain },
    ...others.map(({ name, use }) => ({ label: additionalDomainUseLabels[use], value: name })),
    { label: 'Redirect HTTP to HTTPS', value: host.https_redirect === false ? 'No' : 'Yes' },
  ]
}

/** Describes how an additional domain is used. The edge redirects to the primary domain only if HTTPS works there. */
function describeUse(use: AdditionalDomain['use'], main: ProjectView['domain']): string {
  if (use === 'serve') return 'Serves the site, like the primary domain.'
  return main?.status === 'active'
    ? `Redirects to ${main.subdomain}.`
    : 'Serves the site until HTTPS of the primary domain works. From then on it redirects there.'
}
