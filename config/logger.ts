import env from '#start/env'
import { defineConfig, targets } from '@adonisjs/core/logger'

const logger = defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: `berth-${process.env.BERTH_ROLE ?? 'console'}`,
      level: env.get('LOG_LEVEL', 'info'),
      redact: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.privateKey'],
      transport: { targets: [targets.file({ destination: 1 })] },
    },
  },
})

export default logger

declare module '@adonisjs/core/types' {
  export interface LoggersList extends InferLoggers<typeof logger> {}
}
