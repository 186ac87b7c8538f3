import { collectFromModules } from '#core/modules'

/**
 * Audit log messages of all modules by action. An action without a message is shown as the words of its
 * key.
 */
const loadSentences = () => collectFromModules('auditMessages')

/** Returns the message of an action with the name of the resource. */
export function auditSentence(action: string, name: string): string {
  const known = loadSentences()
  if (Object.hasOwn(known, action)) return known[action].replace('{}', () => name)
  const text = action.replace(/[._-]+/g, ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}: ${name}`
}

/** Returns the actions whose message contains the text. Ignores case. */
export function listAuditActionsByText(text: string): string[] {
  const part = text.toLowerCase()
  return Object.entries(loadSentences())
    .filter(([, sentence]) => sentence.toLowerCase().includes(part))
    .map(([action]) => action)
}
