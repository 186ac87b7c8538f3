/**
 * Types of the server's responses. Type-only exports keep server code out of the browser bundle.
 */
export type {
  AdminSenderListPage,
  AdminSenderPage,
  AdminSenderRow,
  AttemptEntry,
  DomainRow,
  SenderUsage,
  SenderListPage,
  SenderPage,
  SenderRow,
  MailDomainPage,
  MailUsageHistory,
  MessageDetails,
  MessageEntry,
  MessageListResponse,
  MessageState,
  SendingEndpoints,
  SuppressionEntry,
  VerifyPage,
  WebhookDelivery,
  WebhookEntry,
} from '#mail/transformers/page_props'
