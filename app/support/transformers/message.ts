import type Message from '#support/models/message'
import type { MessageView } from '#support/transformers/page_props'

/** URL-encodes a text, with a plus sign for each space (docs/product.md, "Live support"). */
export function urlEncodeText(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+')
}

/** Customers see the names of staff, but not their email addresses. */
export function messageView(message: Message): MessageView {
  const { id, sequence, senderId, clientId, side, key, text, fileType, page, createdAt } = message
  const files = message.attachments ?? []
  return {
    id,
    sequence,
    side,
    key,
    page,
    about: message.about,
    sender_id: senderId,
    sender_name: message.sender?.name ?? 'Former user',
    client_id: clientId,
    content: urlEncodeText(text),
    file_type: fileType,
    files: files.map((file) => file.path).join(','),
    names: files.map(({ name }) => name),
    created_at: createdAt.toISO()!,
    temp: false,
  }
}
