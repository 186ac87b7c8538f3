export type {
  ClientFacts,
  ClientList,
  Found,
  LiveSupportPage,
  MessageList,
  MessageView,
} from '#support/transformers/pages'
