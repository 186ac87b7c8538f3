import { defineConfig, stores } from '@adonisjs/limiter'

const limiter = defineConfig({
  default: 'database',
  stores: { database: stores.database({ tableName: 'rate_limits' }) },
})

export default limiter

declare module '@adonisjs/limiter/types' {
  export interface LimitersList extends InferLimiters<typeof limiter> {}
}
