import type { RunningService } from '#packages/service/graceful_handover'
import { measureService } from '#start/measured_service'
import env from '#start/service_env'
import { IncusBroker } from '#packages/incus-broker/main'
import { join } from 'node:path'

/** Time for which open connections, mostly terminals, may continue after another process has taken over. */
const LEAVE_TIMEOUT_MS = 60_000

/** Forwards calls to this machine's Incus, but only those that the web process and the gateway are allowed to make. */
export async function start(): Promise<RunningService> {
  const broker = new IncusBroker({
    incus: env.get('INCUS_SOCKET')!,
    installation: env.get('INSTALLATION_ID')!,
    onRefused: (call) => log({ level: 40, msg: 'rejected a call to Incus', ...call }),
  })
  for (const client of ['web', 'gateway'] as const) {
    await broker.listen(client, join(env.get('BROKER_FOLDER')!, client, 'incus'))
  }
  const stopReports = await measureService('broker')
  const stop = async () => {
    await stopReports()
    await broker.close()
  }
  return {
    stop,
    async leave() {
      await broker.leave(LEAVE_TIMEOUT_MS)
      await stop()
    },
  }
}

function log(entry: object): void {
  process.stdout.write(`${JSON.stringify({ ...entry, time: Date.now(), name: 'berth-broker' })}\n`)
}
