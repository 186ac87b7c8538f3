import { collectFromModules } from '#core/modules'

/**
 * What the audit log says of each action, in one sentence, as the domains do; an action that is not
 * among them is said by its own words.
 */
const loadSentences = () => collectFromModules('auditMessages')

/** An action's sentence with the name of the thing in it. */
export function auditSentence(action: string, name: string): string {
  const known = loadSentences()
  if (Object.hasOwn(known, action)) return known[action].replace('{}', () => name)
  const text = action.replace(/[._-]+/g, ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}: ${name}`
}

/** The actions whose sentence has this text in it, in whichever case. */
export function listAuditActionsByText(text: string): string[] {
  const part = text.toLowerCase()
  return Object.entries(loadSentences())
    .filter(([, sentence]) => sentence.toLowerCase().includes(part))
    .map(([action]) => action)
}
