export type {
  ClientDetails,
  ClientList,
  MessageSearchResult,
  LiveSupportPage,
  MessageList,
  MessageView,
} from '#support/transformers/page_props'
