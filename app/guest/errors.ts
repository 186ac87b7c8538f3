import { conflict, invalid, Refusal } from '#core/refusal'

/** Refusals of work inside an instance: code, status, words. */

/** 422 at the field that the path came in. */
export function badPath(words: string, field = 'path'): Refusal {
  return invalid({ [field]: words })
}

/** 422: a link led out; only the machine itself can tell. */
export function outside(): Refusal {
  const words = 'This leads out of the web root, so it was not touched.'
  return new Refusal('outside', 422, words, { errors: { path: [words] } })
}

export function noWebRoot(): Refusal {
  return conflict('This server instance has no web root.')
}
