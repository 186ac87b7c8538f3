import { countApprovedBillsOnStatement } from '#billing/queries/statements'
import {
  type ExactApprovalInput,
  approveExactlyMatchedBills,
} from '#billing/statements/approve_exactly_matched_bills'
import { defineOperation } from '#core/operations/operations'

/** Approves each bill in the same way as staff approve a single bill (decision 0034). */
export const approveExactlyMatchedBillsOperation = defineOperation<ExactApprovalInput>({
  kind: 'billing.approve_exact',
  queue: 'transfer',
  steps: [
    {
      key: 'approve',
      label: 'Approve exact matches',
      async run(approval, context) {
        await context.saveState('left', await approveExactlyMatchedBills(approval, context))
      },
    },
  ],
  async result({ statementId }, { operation, state }) {
    const approved = await countApprovedBillsOnStatement(statementId, operation.createdAt)
    return { approved, left: state.left ?? [] }
  },
})
