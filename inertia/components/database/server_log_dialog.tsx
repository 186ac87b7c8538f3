import { useEffect, useState } from 'react'
import { Alert, Button, Group } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { useRegion } from '@ui/region'
import { call } from '~/api_call'
import { engineLabels } from './engine_labels'
import { localizeDatabaseLogLine } from './log_times'
import { serverParams } from './server_params'
import type { Engine, ServerView } from './types'
import styles from './database.module.css'

interface ServerLogDialogProps {
  opened: boolean
  engine: Engine
  server: ServerView
  onClose: () => void
}

export function ServerLogDialog({ opened, engine, server, onClose }: ServerLogDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      size={860}
      title={`Log of ${engineLabels[engine].title} on ${server.name}`}
    >
      {opened && <LogLines engine={engine} server={server} />}
    </Dialog>
  )
}

function LogLines({ engine, server }: Pick<ServerLogDialogProps, 'engine' | 'server'>) {
  const { server_instance_id: serverId } = serverParams(server)
  const { timeZone: zone } = useRegion()
  const [refreshCount, ask] = useState(0)
  const [lines, setLines] = useState<string[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)

  useEffect(() => {
    const leaving = new AbortController()
    const look = async () => {
      const answer = await call<{ lines: string[] }>(`/database/${engine}/server/log`, {
        method: 'GET',
        data: { server_instance_id: serverId },
        signal: leaving.signal,
        toasts: 'none',
      })
      if (leaving.signal.aborted) return
      if (answer.success) setLines(answer.data?.lines ?? [])
      setProblem(answer.success ? null : answer.message)
    }
    void look()
    return () => leaving.abort()
  }, [engine, serverId, refreshCount])

  return (
    <>
      {problem && (
        <Alert color="red" role="alert" mb="sm">
          {problem}
        </Alert>
      )}
      <pre className={styles.log} tabIndex={0} role="log" aria-label="Log">
        {lines === null
          ? '…'
          : lines.map((line) => localizeDatabaseLogLine(line, zone)).join('\n') ||
            'The log is empty.'}
      </pre>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => ask(refreshCount + 1)}>
          Refresh
        </Button>
      </Group>
    </>
  )
}
