export type {
  ClientFacts,
  ClientList,
  ClientRow,
  Found,
  LiveSupportPage,
  MessageList,
  MessageView,
  Waits,
} from '#support/transformers/pages'
