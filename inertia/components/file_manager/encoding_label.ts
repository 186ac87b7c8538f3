import type { Encoding } from './types'

const names: Record<Encoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252',
}

export function encodingLabel(encoding: Encoding, text: string): string {
  const marked = encoding === 'utf-8' && text.startsWith('\ufeff')
  return names[encoding] + (marked ? ' with BOM' : '')
}
