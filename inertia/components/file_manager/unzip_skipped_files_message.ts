import { countWithNoun } from '../../../packages/text/count_with_noun'
import type { OperationView } from '~/components/operation/types'

/**
 * Returns a message about files that an extraction skipped, replaced, or named by a guessed encoding. Null if there are
 * none, or if the extraction is not done.
 */
export function unzipSkippedFilesMessage({ status, result, title }: OperationView): string | null {
  const { junk = 0, links = 0 } = (result?.leftOut ?? {}) as { junk?: number; links?: number }
  const parts = [
    links > 0 && `${countWithNoun(links, 'link')} to a target outside the archive`,
    junk > 0 &&
      `${countWithNoun(junk, 'file')} created by desktop systems (__MACOSX, .DS_Store, Thumbs.db)`,
  ].filter((part) => part !== false)
  const notes = [
    result?.starterPage !== undefined && `Replaced the starter page ${String(result.starterPage)}.`,
    guessedNames(result?.guessed),
    listed('Replaced', 'existing file', result?.replaced),
    listed('Did not replace', 'existing file', result?.skipped),
    parts.length > 0 && `Skipped ${parts.join(' and ')}.`,
  ].filter((note) => note !== false)
  if (status !== 'done' || notes.length === 0) return null
  return `${title}: done. ${notes.join(' ')}`
}

function guessedNames(guessed: unknown): string | false {
  if (guessed === undefined) return false
  const { count, names } = guessed as { count: number; names: string[] }
  return `The archive does not state the encoding of ${countWithNoun(count, 'name')}, read as code page 437: ${names.join(', ')}${count > names.length ? '…' : '.'} If a name looks wrong, delete the files and unzip again with another file name encoding.`
}

function listed(verb: string, noun: string, files: unknown): string | false {
  if (files === undefined) return false
  const { count, names } = files as { count: number; names: string[] }
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return `${verb} ${countWithNoun(count, noun)}: ${names.join(', ')}${more}.`
}
