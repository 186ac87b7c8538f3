export type { OperationView } from '#core/contracts/operation_view'
