import { useState } from 'react'
import { Alert, Button, Group, Modal } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge } from '@ui/status_badge'
import { call } from '~/call'
import { Table } from '~/components/list/table'
import { ProcessForm } from './process_form'
import { ProcessLogs } from './process_logs'
import type { NodeProcess, ProjectView } from './types'
import { useProcesses } from './use_processes'
import styles from './project.module.css'

interface NodeProcessesProps {
  project: ProjectView
  /** `/project/pm2` or `/admin/project/pm2` */
  base: string
  /** why nothing can be changed */
  barred: string | null
}

type Action = 'start' | 'stop' | 'restart' | 'delete'

/** The buttons that each status allows (customer specification, section 4). */
export function actionsIn(status: string): Action[] {
  if (status === 'online') return ['restart', 'stop']
  return status === 'launching' || status === 'stopping' ? [] : ['start', 'delete']
}

const labels: Record<Action, string> = {
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  delete: 'Delete',
}

/** The processes that PM2 runs on the project's instance. */
export function NodeProcesses({ project, base, barred }: NodeProcessesProps) {
  const query = `server_instance_id=${project.server_instance_id}`
  const { processes, error, setProcesses } = useProcesses(`${base}/list?${query}`)
  const [starting, setStarting] = useState(false)
  const [logsOf, setLogsOf] = useState<string | null>(null)
  const [asked, setAsked] = useState<{ action: Action; name: string } | null>(null)
  const [busy, setBusy] = useState(false)

  const act = async (action: Action, name: string) => {
    setBusy(true)
    const answer = await call<{ processes: NodeProcess[] }>(`${base}/process-action`, {
      data: { server_instance_id: project.server_instance_id, action, name },
    })
    setBusy(false)
    setAsked(null)
    if (answer.success && answer.data) setProcesses(answer.data.processes)
  }

  const start = (
    <DisabledReason reason={barred} variant="default" onClick={() => setStarting(true)}>
      Start New Process
    </DisabledReason>
  )

  return (
    <section aria-label="Node Process">
      <div className={styles.bar}>
        <p>What runs here comes back by itself when the server instance restarts.</p>
        {start}
      </div>
      {error && (
        <Alert color="yellow" mb="md">
          {error}
        </Alert>
      )}
      {processes === null ? (
        <div className={styles.bones} />
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
              label: 'Status',
              phone: 'aside',
              cell: ({ pm2_env: { status } }) => <StatusBadge status={status} />,
            },
            {
              label: 'Action',
              align: 'right',
              width: '300px',
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
                  {actionsIn(status).map((action) => (
                    <DisabledReason
                      key={action}
                      size="compact-xs"
                      variant="default"
                      reason={barred}
                      aria-label={`${labels[action]} ${name}`}
                      onClick={() =>
                        action === 'start' ? void act(action, name) : setAsked({ action, name })
                      }
                    >
                      {labels[action]}
                    </DisabledReason>
                  ))}
                </Group>
              ),
            },
          ]}
        />
      ) : (
        <EmptyState
          title="No processes"
          hint="Start the app of this project, with or without a build."
          action={start}
        />
      )}
      <Modal
        opened={starting}
        onClose={() => setStarting(false)}
        title="Start New Process"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {starting && (
          <ProcessForm
            project={project}
            path={`${base}/start-new`}
            onDone={() => setStarting(false)}
          />
        )}
      </Modal>
      <Modal
        opened={logsOf !== null}
        onClose={() => setLogsOf(null)}
        title={`Logs of ${logsOf}`}
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {logsOf && <ProcessLogs url={`${base}/logs?${query}&name=${encodeURIComponent(logsOf)}`} />}
      </Modal>
      <ConfirmDialog
        opened={asked !== null}
        danger={asked?.action === 'delete'}
        busy={busy}
        question={`Sure to ${asked?.action} process (${asked?.name})?`}
        confirm={`${labels[asked?.action ?? 'stop']} process`}
        onConfirm={() => asked && void act(asked.action, asked.name)}
        onClose={() => setAsked(null)}
      />
    </section>
  )
}
