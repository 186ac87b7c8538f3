import { parseReplyMail, type ParsedReplyMail } from '../inbound/verify_reply_mail.js'
import { parseBounceOrComplaintMail } from '../inbound/delivery_report.js'
import { HtmlTooComplexError, htmlToText } from './html_text.js'

/** Does nothing. Its call returns as soon as the thread has started. */
export const warmUp = () => {}

/** Returns an error as a value, because an error that crosses threads loses its class. */
export const convertHtml = (text: string): { text: string } | { tooComplex: string } => {
  try {
    return { text: htmlToText(text) }
  } catch (error) {
    if (error instanceof HtmlTooComplexError) return { tooComplex: error.message }
    throw error
  }
}

export const parseBounceOrComplaint = ({
  raw,
  fromNobody,
}: {
  raw: Uint8Array
  fromNobody: boolean
}) => parseBounceOrComplaintMail(Buffer.from(raw), { fromNobody })

export const parseReply = async ({
  raw,
  fromNobody,
}: {
  raw: Uint8Array
  fromNobody: boolean
}): Promise<ParsedReplyMail> => {
  try {
    return await parseReplyMail(Buffer.from(raw), { fromNobody })
  } catch (error) {
    if (error instanceof HtmlTooComplexError) return { refused: [554, `5.6.0 ${error.message}`] }
    throw error
  }
}
