import { useState } from 'react'
import { Alert, NativeSelect } from '@mantine/core'
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DetailLine } from '@ui/detail_line'
import { StatusBadge, type StatusTone } from '@ui/status_badge'
import { Link } from '~/components/link'
import { formatBytes } from '~/components/metrics/format_units'
import { useApiCall } from '~/components/use_api_call'
import { visit } from '~/visit'
import { ActionMenu } from '~/components/action_menu'
import { engineLabels } from './engine_labels'
import { ServerLogDialog } from './server_log_dialog'
import { serverParams } from './server_params'
import type { Engine, ServerChoice, ServerView } from './types'

const statusBadges: Record<ServerView['status'], { label: string; tone: StatusTone }> = {
  absent: { label: 'Not installed', tone: 'calm' },
  installing: { label: 'Installing', tone: 'wait' },
  running: { label: 'Running', tone: 'good' },
  stopped: { label: 'Stopped', tone: 'wait' },
  failed: { label: 'Failed', tone: 'loss' },
  unknown: { label: 'Not responding', tone: 'wait' },
}

export function ServerStatus({ status }: Pick<ServerView, 'status'>) {
  const { label, tone } = statusBadges[status]
  return <StatusBadge status={status} label={label} tone={tone} />
}

interface ServerSummaryProps {
  engine: Engine
  server: ServerView
  choices: ServerChoice[]
}

export function databaseListHref(engine: Engine, id: number | null) {
  return `/database/${engine}?server_instance_id=${id ?? 'managed'}` as const
}

export function ServerSummary({ engine, server, choices }: ServerSummaryProps) {
  const { server_instance_id: id, name, version } = server
  return (
    <DetailLine
      items={[
        {
          label: 'Server',
          value:
            choices.length > 1 ? (
              <NativeSelect
                size="xs"
                aria-label="Server"
                value={String(id ?? '')}
                data={choices.map((choice) => ({
                  value: String(choice.id ?? ''),
                  label: choice.reason ? `${choice.name} (${choice.reason})` : choice.name,
                  disabled: choice.reason !== null,
                }))}
                onChange={({ currentTarget: { value } }) =>
                  visit(databaseListHref(engine, value ? Number(value) : null))
                }
              />
            ) : id === null ? (
              name
            ) : (
              <Link href={`/server-instance/${id}`}>{name}</Link>
            ),
        },
        { label: 'Status', value: <ServerStatus status={server.status} /> },
        { label: 'Version', value: version ?? '-' },
        { label: 'Size', value: server.size_bytes === null ? '-' : formatBytes(server.size_bytes) },
        ...(server.free_bytes === null
          ? []
          : [{ label: 'Free disk space', value: formatBytes(server.free_bytes) }]),
      ]}
    />
  )
}

export function ServerAlerts({ server }: Pick<ServerSummaryProps, 'server'>) {
  const { problem, warning, status } = server
  const icon = <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
  return (
    <>
      {problem && (
        <Alert
          color={status === 'failed' ? 'red' : 'yellow'}
          mb="md"
          icon={icon}
          title={statusBadges[status].label}
        >
          {problem}
        </Alert>
      )}
      {warning && (
        <Alert color="yellow" mb="md" icon={icon}>
          {warning}
        </Alert>
      )}
    </>
  )
}

type ServerAction = 'install' | 'start' | 'stop' | 'restart'

const serverActionLabels: Record<ServerAction, string> = {
  install: 'Install',
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
}

export function ServerMenu({ engine, server }: Omit<ServerSummaryProps, 'choices'>) {
  const { actions, name } = server
  const { busy, run } = useApiCall()
  const [asking, ask] = useState<'stop' | 'restart' | 'log' | null>(null)
  const { title } = engineLabels[engine]
  const act = (action: ServerAction) => {
    ask(null)
    void run(`/database/${engine}/server`, { action, ...serverParams(server) })
  }

  return (
    <>
      <ActionMenu
        label={`${title} server on ${name}`}
        text="Server"
        busy={busy !== null}
        actions={[
          ...(Object.keys(serverActionLabels) as ServerAction[]).map((verb) => ({
            label: serverActionLabels[verb],
            reason: actions[verb],
            onClick: () => (verb === 'stop' || verb === 'restart' ? ask(verb) : act(verb)),
          })),
          { label: 'Log', reason: actions.log, onClick: () => ask('log') },
        ]}
      />
      <ConfirmDialog
        opened={asking === 'stop'}
        question={`Sites and apps cannot use the ${title} databases on ${name} until you start the server again. No data is lost.`}
        confirm="Stop server"
        onConfirm={() => act('stop')}
        onClose={() => ask(null)}
      />
      <ConfirmDialog
        opened={asking === 'restart'}
        question={`Sites and apps cannot use the ${title} databases on ${name} for a few seconds. Running queries are cancelled.`}
        confirm="Restart server"
        onConfirm={() => act('restart')}
        onClose={() => ask(null)}
      />
      <ServerLogDialog
        opened={asking === 'log'}
        engine={engine}
        server={server}
        onClose={() => ask(null)}
      />
    </>
  )
}
