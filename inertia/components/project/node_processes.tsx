import { useState } from 'react'
import { Alert, Button, Group } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { ConfirmDialog, DangerDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge, type StatusTone } from '@ui/status_badge'
import type { AreaPrefix } from '~/area_prefix'
import { call } from '~/api_call'
import { Table } from '~/components/list/table'
import { useApiCall } from '~/components/use_api_call'
import { ProcessEnvironment } from './process_environment'
import { StartProcessForm } from './start_process_form'
import { ProcessLogs } from './process_logs'
import type { NodeProcess, ProcessStatus, ProjectView } from './types'
import { useEnvironmentEditor } from './use_environment_editor'
import { useProcesses } from './use_processes'
import styles from './project.module.css'

interface NodeProcessesProps {
  project: ProjectView
  webRoot: string
  prefix: AreaPrefix
  barred: string | null
}

type ProcessAction = 'start' | 'stop' | 'restart' | 'delete'

/** Returns the actions that a status allows (partly from docs/product.md, "Projects"). */
export function allowedActions(status: ProcessStatus): ProcessAction[] {
  if (status === 'online') return ['restart', 'stop']
  if (status === 'launching' || status === 'stopping') return []
  return status === 'stopped' ? ['start', 'delete'] : ['restart', 'stop', 'delete']
}

const tones: Record<ProcessStatus, StatusTone> = {
  online: 'good',
  launching: 'wait',
  restarting: 'loss',
  stopping: 'wait',
  stopped: 'calm',
  errored: 'loss',
  unknown: 'wait',
}

/** Formats a duration such as `4 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function formatUptime(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

const actionLabels: Record<ProcessAction, string> = {
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  delete: 'Delete',
}

export function NodeProcesses({ project, webRoot, prefix, barred }: NodeProcessesProps) {
  const base = `${prefix}/project/pm2` as const
  const query = `server_instance_id=${project.server_instance_id}`
  const { processes, note, error, setProcesses } = useProcesses(`${base}/list?${query}`)
  const [starting, setStarting] = useState(false)
  const [logsOf, setLogsOf] = useState<string | null>(null)
  const [dialog, setDialog] = useState<{ action: ProcessAction; name: string } | null>(null)
  const [restarting, setRestarting] = useState(false)
  const environment = useEnvironmentEditor(base, project.id)
  const power = useApiCall()
  const Asking = dialog?.action === 'delete' ? DangerDialog : ConfirmDialog

  const act = async (action: ProcessAction, name: string) => {
    const answer = await call<{ processes: NodeProcess[] }>(`${base}/process-action`, {
      data: { server_instance_id: project.server_instance_id, action, name },
      toasts: 'successes',
    })
    if (answer.success && answer.data) setProcesses(answer.data.processes)
    return answer
  }

  const restartWithoutApps = () =>
    power.run(
      `${prefix}/server-instance/restart-without-apps`,
      { id: project.server_instance_id },
      'successes'
    )

  const start = (
    <ButtonWithDisabledReason reason={barred} variant="default" onClick={() => setStarting(true)}>
      Start New Process
    </ButtonWithDisabledReason>
  )

  return (
    <section aria-label="Node Process">
      <div className={styles.bar}>
        <p>These processes start again automatically when the server instance restarts.</p>
        <Group gap="xs">
          <ButtonWithDisabledReason
            reason={barred}
            variant="subtle"
            onClick={() => setRestarting(true)}
          >
            Restart without apps
          </ButtonWithDisabledReason>
          {start}
        </Group>
      </div>
      {error && (
        <Alert color="yellow" mb="md">
          {error}
        </Alert>
      )}
      {note && (
        <Alert color="yellow" mb="md">
          {note}
        </Alert>
      )}
      {processes === null ? (
        !error && <div className={styles.bones} />
      ) : processes.length ? (
        <Table<NodeProcess>
          label="Node processes"
          rows={processes}
          rowKey={({ pm_id: id }) => id}
          columns={[
            { label: 'Id', mono: true, width: '60px', phone: 'hidden', cell: (row) => row.pm_id },
            { label: 'Name', phone: 'title', cell: (row) => row.name },
            { label: 'Pid', mono: true, phone: 'hidden', cell: (row) => row.pid || '-' },
            { label: 'CPU', mono: true, phoneLabel: true, cell: (row) => `${row.monit.cpu} %` },
            {
              label: 'Memory',
              mono: true,
              phoneLabel: true,
              cell: (row) => `${(row.monit.memory / 1024 ** 2).toFixed(1)} MB`,
            },
            {
              label: 'Restarts',
              mono: true,
              phoneLabel: true,
              cell: ({ pm2_env: { restart_time: times } }) => times,
            },
            {
              label: 'Uptime',
              mono: true,
              phone: 'hidden',
              cell: ({ pm2_env: { uptime } }) => formatUptime(uptime),
            },
            {
              label: 'Status',
              phone: 'aside',
              cell: ({ pm2_env: { status } }) => (
                <StatusBadge status={status} tone={tones[status]} />
              ),
            },
            {
              label: 'Action',
              align: 'right',
              width: '260px',
              phone: 'action',
              cell: ({ name, pm2_env: { status } }) => (
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={`Logs of ${name}`}
                    onClick={() => setLogsOf(name)}
                  >
                    Logs
                  </Button>
                  {allowedActions(status).map((action) => (
                    <ButtonWithDisabledReason
                      key={action}
                      size="compact-xs"
                      variant="default"
                      reason={barred}
                      aria-label={`${actionLabels[action]} ${name}`}
                      onClick={() =>
                        action === 'start' ? void act(action, name) : setDialog({ action, name })
                      }
                    >
                      {actionLabels[action]}
                    </ButtonWithDisabledReason>
                  ))}
                </Group>
              ),
            },
          ]}
        />
      ) : (
        <EmptyState
          title="No processes"
          hint="Start the app of this project, with or without building it first."
          action={start}
        />
      )}
      {processes?.map(
        ({ pm_id: id, name, pm2_env: { status }, trouble }) =>
          trouble && (
            <Alert
              key={id}
              className={styles.trouble}
              color={tones[status] === 'loss' ? 'red' : 'yellow'}
              title={`${name}: ${trouble.words}`}
            >
              <p>{trouble.next}</p>
              {trouble.lines.length > 0 && (
                <pre tabIndex={0} aria-label={`Last lines of ${name}`}>
                  {trouble.lines.join('\n')}
                </pre>
              )}
            </Alert>
          )
      )}
      {/* The dialog edits the same variables as this form. Without `inert`, an invalid field of the form would take
          the focus out of the dialog. */}
      <div inert={starting}>
        <ProcessEnvironment environment={environment} barred={barred} />
      </div>
      <Dialog
        opened={starting}
        onClose={() => setStarting(false)}
        title="Start New Process"
        size="lg"
      >
        {starting && (
          <StartProcessForm
            project={project}
            webRoot={webRoot}
            base={base}
            environment={environment}
            onDone={() => setStarting(false)}
          />
        )}
      </Dialog>
      <Dialog
        opened={logsOf !== null}
        onClose={() => setLogsOf(null)}
        title={`Logs of ${logsOf}`}
        size="xl"
      >
        {logsOf && <ProcessLogs url={`${base}/logs?${query}&name=${encodeURIComponent(logsOf)}`} />}
      </Dialog>
      <Asking
        opened={dialog !== null}
        question={`Sure to ${dialog?.action} process (${dialog?.name})?`}
        confirm={`${actionLabels[dialog?.action ?? 'stop']} process`}
        onConfirm={async () => (dialog ? act(dialog.action, dialog.name) : undefined)}
        onClose={() => setDialog(null)}
      />
      <ConfirmDialog
        opened={restarting}
        question={`Sure to restart server instance (${project.server_instance.name}) without its apps?`}
        confirm="Restart without apps"
        onConfirm={restartWithoutApps}
        onClose={() => setRestarting(false)}
      >
        <p className={styles.calm}>
          The whole instance is unavailable for about a minute. After the restart, sites without
          Node processes work again. All Node processes on the instance stay stopped until you start
          them. Your files stay.
        </p>
      </ConfirmDialog>
    </section>
  )
}
