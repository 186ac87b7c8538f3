import { Refusal } from '#core/refusal'

/** 413: the body has more bytes, fields or values than its route accepts. */
export function tooLarge(): Refusal {
  return new Refusal('too_large', 413, 'This is too large to send at once.')
}
