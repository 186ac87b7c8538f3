export type { OperationView } from '#core/models/operation'
