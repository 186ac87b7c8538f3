import { collectFromModules } from '#core/modules'

const loadSentences = () => collectFromModules('auditMessages')

export function auditSentence(action: string, name: string): string {
  const known = loadSentences()
  if (Object.hasOwn(known, action)) return known[action].replace('{}', () => name)
  const text = action.replace(/[._-]+/g, ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}: ${name}`
}

export function listAuditActionsByText(text: string): string[] {
  const part = text.toLowerCase()
  return Object.entries(loadSentences())
    .filter(([, sentence]) => sentence.toLowerCase().includes(part))
    .map(([action]) => action)
}
