import { useState, type ReactNode } from 'react'
import { Head } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { CopyableText } from '@ui/copyable_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import type { Tab } from '@ui/tabs'
import { prefixForArea } from '~/area_prefix'
import { UrlTabs } from '~/components/url_tabs'
import { DescriptionList } from '~/components/description_list'
import { Link } from '~/components/link'
import { folderHref } from '~/components/file_manager/paths_and_links'
import { useLiveProps } from '~/components/live/use_live_props'
import { useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import { TerminalTab } from '~/components/server_instance/terminal_tab'
import { useApiCall } from '~/components/use_api_call'
import { ProjectUrls } from './project_urls'
import { NodeProcesses } from './node_processes'
import { ProjectForm } from './project_form'
import { SiteLogsTab } from './site_logs_tab'
import type { ProjectPage } from './types'
import { OperationOutput } from './operation_output'
import { nextStep } from './next_step'
import styles from './project.module.css'
import { VirtualHostTab } from './virtual_host_tab'
import { WordpressStatus } from './wordpress_status'

interface ProjectDetailsProps {
  page: ProjectPage
  area: 'customer' | 'admin'
  barred?: string | null
  /** Additional controls in the header, for git. */
  controls?: ReactNode
}

export function ProjectDetails({ page, area, barred = null, controls }: ProjectDetailsProps) {
  const { project, projectStatus, projectStacks, serverInstances, webRoot } = page
  const { name, status, path, stack, server_instance: instance } = project
  const prefix = prefixForArea(area)
  const operation = useOperation(project.operation, area)
  useLiveProps(
    [`project:${project.id}`, `server_instance:${project.server_instance_id}`],
    ['project', 'serverInstances']
  )
  const { busy, run } = useApiCall()
  const [editing, setEditing] = useState(false)
  const reason = barred ?? project.barred
  const update = `${prefix}/project/update` as const
  const folder = `${webRoot}/${path}`
  const next = barred ? null : nextStep(Object.assign({}, project, { operation }))
  const fileManager = {
    href: folderHref(path, project.server_instance_id, area),
    target: '_blank',
    rel: 'noopener',
  }

  const details: Tab = {
    key: 'details',
    label: 'Details',
    panel: (
      <>
        {next && (
          <section className={styles.next} aria-label="Next step">
            <div>
              <h2>{next.title}</h2>
              <p>{next.hint}</p>
            </div>
            <Button component={Link} href={`${prefix}/project/${project.id}?tab=${next.tab}`}>
              {next.action}
            </Button>
          </section>
        )}
        {stack === 'wordpress' && status !== 'deleted' && (
          <WordpressStatus project={project} prefix={prefix} settingUp={operation !== null} />
        )}
        <DescriptionList
          label="Details"
          rows={[
            {
              label: 'IP',
              value: instance.ip && (
                <CopyableText text={instance.ip} copied="IP Copied!" what="IP" />
              ),
            },
            { label: 'Config file', value: project.site_file && <code>{project.site_file}</code> },
          ]}
        />
      </>
    ),
  }
  const host: Tab = {
    key: 'virtual-host',
    label: area === 'admin' ? 'Setup' : 'VH Setup',
    panel: <VirtualHostTab project={project} prefix={prefix} barred={reason} />,
  }
  const terminal: Tab = {
    key: 'terminal',
    label: 'Terminal',
    keepAlive: true,
    panel: (
      <TerminalTab
        grantUrl={`${prefix}/terminal/grants`}
        grantBody={{ server_instance_id: project.server_instance_id, path }}
        label={name}
        instanceType={instance.instance_type}
        reason={reason}
      />
    ),
  }
  const processes: Tab = {
    key: 'processes',
    label: area === 'admin' ? 'Process Manager' : 'Node Process',
    panel: <NodeProcesses project={project} webRoot={webRoot} prefix={prefix} barred={reason} />,
  }
  const logs: Tab = {
    key: 'logs',
    label: 'Logs',
    panel: <SiteLogsTab projectId={project.id} prefix={prefix} />,
  }

  return (
    <>
      <Head title={name} />
      <PageHeader
        back={
          <Link href={`${prefix}/project/list`}>
            {area === 'admin' ? 'Projects' : 'Projects / Sites'}
          </Link>
        }
        title={name}
        aside={<StatusBadge status={status} label={projectStatus[status]} />}
        hint={reason ?? undefined}
        action={
          <>
            {controls}
            {area === 'customer' && (
              <Button component="a" variant="default" {...fileManager}>
                File Manager
              </Button>
            )}
            <ButtonWithDisabledReason
              reason={reason}
              variant="default"
              onClick={() => setEditing(true)}
            >
              Edit Project
            </ButtonWithDisabledReason>
          </>
        }
      >
        <DetailLine
          items={[
            { label: 'Address', value: <ProjectUrls addresses={project.addresses} /> },
            { label: 'App Stack', value: projectStacks[stack] },
            {
              label: 'Server',
              value: (
                <Link href={`${prefix}/server-instance/${project.server_instance_id}`}>
                  {instance.name}
                </Link>
              ),
            },
            {
              label: 'Path',
              value: <CopyableText text={folder} copied="Path Copied!" what="path" />,
            },
          ]}
        />
      </PageHeader>
      {operation && operation.status !== 'done' && (
        <>
          <OperationProgress operation={operation} />
          <OperationOutput operation={operation} area={area} />
        </>
      )}
      {project.retry && (
        <ButtonWithDisabledReason
          mb="lg"
          loading={busy !== null}
          reason={barred ?? project.retry.reason}
          onClick={() => void run(`${prefix}/project/retry`, { id: project.id })}
        >
          Retry
        </ButtonWithDisabledReason>
      )}
      <UrlTabs
        label={`Sections of ${name}`}
        aside={area === 'admin' && <a {...fileManager}>File Manager</a>}
        tabs={[
          details,
          host,
          ...(area === 'customer' ? [terminal] : []),
          ...(project.has_processes ? [processes] : []),
          logs,
        ]}
      />
      <Dialog opened={editing} onClose={() => setEditing(false)} title="Edit Project">
        {editing && (
          <ProjectForm
            project={project}
            stacks={projectStacks}
            instances={serverInstances}
            webRoot={webRoot}
            path={update}
            onDone={() => setEditing(false)}
          />
        )}
      </Dialog>
    </>
  )
}
