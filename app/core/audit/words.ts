import { gather } from '#core/domains'

/**
 * What the audit log says of each action, in one sentence, as the domains do; an action that is not
 * among them is said by its own words.
 */
const sentences = () => gather('auditWords')

/** An action's sentence with the name of the thing in it. */
export function sentenceOf(action: string, name: string): string {
  const known = sentences()
  if (Object.hasOwn(known, action)) return known[action].replace('{}', () => name)
  const words = action.replace(/[._-]+/g, ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${name}`
}

/** The actions whose sentence has this text in it, in whichever case. */
export function actionsSaying(text: string): string[] {
  const part = text.toLowerCase()
  return Object.entries(sentences())
    .filter(([, sentence]) => sentence.toLowerCase().includes(part))
    .map(([action]) => action)
}
