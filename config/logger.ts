import { currentTraceContext } from '#packages/telemetry/trace_context'
import env from '#start/env'
import { defineConfig, destination } from '@adonisjs/core/logger'

const logger = defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: `berth-${process.env.BERTH_ROLE ?? 'console'}`,
      level: env.get('LOG_LEVEL', 'info'),
      redact: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.privateKey'],
      // Adds the current request's ID to each log line, in every process.
      mixin: () => {
        const origin = currentTraceContext()
        return origin ? { requestId: origin.id } : {}
      },
      // Writes log lines in the main thread. A pino transport would be a separate thread with its own heap.
      destination: destination({ dest: 1, sync: false }),
    },
  },
})

export default logger

declare module '@adonisjs/core/types' {
  export interface LoggersList extends InferLoggers<typeof logger> {}
}
