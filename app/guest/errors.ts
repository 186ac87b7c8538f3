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

/** A command on the machine failed; its own words are what helps. */
export function machineSays(what: string, words: string): Refusal {
  const tail = words.trim().split('\n').slice(-12).join('\n').slice(-2_000)
  return new Refusal('machine_failed', 502, tail ? `${what}: ${tail}` : `${what}.`)
}

/** The machine ended a command, or could not begin it: nothing is left of its memory. */
export function outOfMemory(what: string): Refusal {
  return new Refusal(
    'out_of_memory',
    503,
    `${what}: the memory of the server instance is used up. Stop what takes it on the Node Process tab, or restart the server instance without its apps.`,
    { retryAfter: 10 }
  )
}

/** What the machine itself said, where it fits none of the others. */
export function failed(said: string): Refusal {
  const words = said.split('\n').at(-1)?.slice(0, 300) ?? ''
  return new Refusal('failed', 409, words ? `This did not work: ${words}` : 'This did not work.')
}
